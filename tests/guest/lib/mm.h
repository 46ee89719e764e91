/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames and page tables. A PV guest's gfn is a machine frame: mfn here. */
#ifndef GUEST_MM_H
#define GUEST_MM_H

#include <stdbool.h>
#include "xen.h"

#define PAGE_BYTES 4096ul
#define PAGE_ALIGNED __attribute__((aligned(4096)))

#define PTE_PRESENT 1ul
#define PTE_WRITE 2ul
#define PTE_USER 4ul
#define PTE_RO (PTE_PRESENT | PTE_USER | 0x20ul)
#define PTE_RW (PTE_RO | PTE_WRITE | 0x40ul)

extern struct start_info *start_info;
extern struct shared_info *shared_info;

void mm_setup(void);

/* Frame behind an address of the image. */
uint64_t mfn_of(const volatile void *addr);
/* Map an image page anew: frame and PTE_RO or PTE_RW, 0: nothing. Xen's answer. */
long map_page(const volatile void *addr, uint64_t mfn, uint64_t pte_flags);
long mmuext(unsigned int cmd, uint64_t arg1);
/* The table of the given level (4 to 1) that serves an address. */
const uint64_t *page_table_of(const void *addr, unsigned int level);

/* Page table for user mode: another L4 that shares the image, so addresses are the same in both. */
uint64_t user_cr3(void);
bool user_tables_use(void); /* on the calling VCPU */

#endif
