/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames and page tables. VCPU 0, kernel mode, before others run or with them idle: no locks. */
#include "mm.h"
#include "check.h"
#include "hypercall.h"

struct start_info *start_info;

static uint8_t shared_info_page[PAGE_BYTES] PAGE_ALIGNED;
struct shared_info *shared_info = (struct shared_info *)shared_info_page;

static uint64_t user_l4[512] PAGE_ALIGNED;

uint64_t mfn_of(const volatile void *addr)
{
    return ((const uint64_t *)start_info->mfn_list)[((uint64_t)addr - VIRT_BASE) / PAGE_BYTES];
}

long map_page(const volatile void *addr, uint64_t mfn, uint64_t pte_flags)
{
    return hypercall3(HC_update_va_mapping, (uint64_t)addr, mfn * PAGE_BYTES | pte_flags,
                      UVMF_INVLPG | UVMF_ALL);
}

long mmuext(unsigned int cmd, uint64_t arg1)
{
    struct mmuext_op op = {cmd, 0, arg1, 0};

    return hypercall4(HC_mmuext_op, (uint64_t)&op, 1, 0, DOMID_SELF);
}

static const uint64_t *table_at(uint64_t entry)
{
    const uint64_t *list = (const uint64_t *)start_info->mfn_list;
    uint64_t mfn = (entry & 0x000ffffffffff000) / PAGE_BYTES;
    uint64_t pfn = (start_info->pt_base - VIRT_BASE) / PAGE_BYTES, n;

    for (n = 0; n < start_info->nr_pt_frames; n++) {
        if (list[pfn + n] == mfn) {
            return (const uint64_t *)(VIRT_BASE + (pfn + n) * PAGE_BYTES);
        }
    }
    error("no page table in frame %lx", mfn);
    finish();
}

const uint64_t *page_table_of(const void *addr, unsigned int level)
{
    const uint64_t *table = (const uint64_t *)start_info->pt_base;
    unsigned int at;

    for (at = 4; at > level; at--) {
        table = table_at(table[(uint64_t)addr >> (12 + 9 * (at - 1)) & 511]);
    }
    return table;
}

uint64_t user_cr3(void)
{
    return mfn_of(user_l4) * PAGE_BYTES;
}

bool user_tables_use(void)
{
    return mmuext(MMUEXT_NEW_USER_BASEPTR, mfn_of(user_l4)) == 0;
}

void mm_setup(void)
{
    if (map_page(shared_info_page, start_info->shared_info_maddr / PAGE_BYTES, PTE_RW) != 0) {
        error("no shared info");
    }
    user_l4[511] = ((const uint64_t *)start_info->pt_base)[511];
    if (map_page(user_l4, mfn_of(user_l4), PTE_RO) != 0 ||
        mmuext(MMUEXT_PIN_L4_TABLE, mfn_of(user_l4)) != 0 || !user_tables_use()) {
        error("no user page table");
    }
}
