/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: a registration leaves nothing behind: not in the values of the next one, not in the
 * frames, not in their type.
 * Ground truth: the pages are filled with a pattern by the guest; values come from lib/trip.S.
 * Between domains: tests/system.
 */
#include "pcx.h"

#define PATTERN 0x5a

static void fill_pages(void)
{
    memset((void *)&pcx_pages[0], PATTERN, sizeof(pcx_pages[0]));
}

static bool pages_are(uint8_t byte, bool also_headers)
{
    const volatile uint8_t *bytes = (const volatile uint8_t *)&pcx_pages[0];
    unsigned int n, from = also_headers ? 0 : 2 * XEN_PERFCTR_PAGE_BYTES;

    for (n = from; n < sizeof(pcx_pages[0]); n++) {
        if (bytes[n] != byte) {
            return false;
        }
    }
    return true;
}

static void count_once(const char *what)
{
    struct xen_perfctr_program p = {0};
    struct trip t;

    pcx_add(&p, 0, 0, XEN_PERFCTR_KIND_OFFSET, FLAGS_SPLIT);
    pcx_add(&p, 1, 1, XEN_PERFCTR_KIND_RAW, FLAGS_BOTH);
    trip_init(&t, &p, 3, 10, 1000);
    trip_do(&t);
    check(t.program_rc == 0 && t.sync_rc == 0, "%s: program, sync", what);
    check_eq(pcx_value(0, 0).user, TRIP_USER(&t), "%s: user starts at 0", what);
    check_eq(pcx_value(0, 0).kernel, TRIP_KERNEL(&t), "%s: kernel starts at 0", what);
    check_eq(pcx_value(0, 1).user, TRIP_USER(&t) + TRIP_KERNEL(&t), "%s: RAW starts at 0", what);
}

static uint64_t spend_time(uint64_t turns, uint64_t unused)
{
    (void)unused;
    __asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(turns));
    return 0;
}

/* Yields, user mode and a moment of time: whatever could still write the frames has its chance. */
static void live_on(void)
{
    unsigned int n;

    for (n = 0; n < 20; n++) {
        user_run(spend_time, 10000, 0);
        sched_yield();
    }
}

static void frames_are_free(void)
{
    const volatile void *pages[] = {
        &pcx_pages[0].counter,
        &pcx_pages[0].control,
        pcx_pages[0].ring[0],
        pcx_pages[0].ring[1],
    };
    unsigned int n;

    memset((void *)&pcx_pages[0], 0, sizeof(pcx_pages[0]));
    for (n = 0; n < ARRAY_LEN(pages); n++) {
        uint64_t mfn = mfn_of(pages[n]);

        map_page(pages[n], mfn, PTE_RO);
        check_eq(mmuext(MMUEXT_PIN_L1_TABLE, mfn), 0, "page %u may be a page table again", n);
        check_eq(mmuext(MMUEXT_UNPIN_TABLE, mfn), 0, "and stop being one");
        check_eq(map_page(pages[n], mfn, PTE_RW), 0, "and be written again");
    }
}

static void frames_are_taken(void)
{
    uint64_t mfn = mfn_of(&pcx_pages[0].counter);

    check_eq(map_page(&pcx_pages[0].counter, mfn, PTE_RO), 0, "map a registered frame read-only");
    check(mmuext(MMUEXT_PIN_L1_TABLE, mfn) != 0, "a registered frame cannot be a page table");
    check_eq(map_page(&pcx_pages[0].counter, mfn, PTE_RW), 0, "map it writable again");
}

void test_main(void)
{
    const volatile struct xen_perfctr_counter_page *page = &pcx_pages[0].counter;
    uint64_t seq = 0;
    unsigned int n;

    pcx_need_ready();
    property("a registration leaves nothing behind");
    for (n = 0; n < 5; n++) {
        fill_pages();
        check_eq(pcx_register(0), 0, "register, time %u", n);
        check(pages_are(0, false), "ring pages are zeroed");
        check(page->seq % 2 == 0 && page->seq > seq, "seq %lx is fresh after %lx", page->seq, seq);
        check_eq(pcx_value(0, 0).flags, 0, "no slot is used");
        check_eq(pcx_pages[0].control.rdpmc, 0, "rdpmc is not asked for");
        count_once("again");
        frames_are_taken();
        seq = page->seq;
        check_eq(pcx_unregister(0), 0, "unregister");
        fill_pages();
        live_on();
        check(pages_are(PATTERN, true), "Xen no longer writes the frames");
        frames_are_free();
    }
}
