/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: RDPMC is #GP unless the VCPU is registered, its control byte is set and it has entered
 * user mode since; then it reads what the slot counted, and nothing of anybody else.
 * Ground truth: which of these was done; a counter that no slot uses must read 0 and stand still,
 * between two RDPMC lie as many instructions as the source says.
 */
#include "pcx.h"

#define RAW_PMC 2
#define NR_INDEX 80

static uint64_t values[NR_INDEX];
static bool readable[NR_INDEX];

static uint32_t index_of(unsigned int n)
{
    static const uint32_t bases[] = {0, 0x20000000, 0x40000000, 0x80000000, 0xfffffff0};

    return bases[n / 16] + n % 16;
}

static uint64_t read_all(uint64_t unused0, uint64_t unused1)
{
    uint64_t nr = 0;
    unsigned int n;

    (void)unused0;
    (void)unused1;
    for (n = 0; n < NR_INDEX; n++) {
        values[n] = 0;
        readable[n] = rdpmc_safe(index_of(n), &values[n]);
        nr += readable[n];
    }
    return nr;
}

static uint64_t nothing(uint64_t unused0, uint64_t unused1)
{
    (void)unused0;
    (void)unused1;
    return 0;
}

/* Ten instructions from one RDPMC to the next, one of the two included. */
static uint64_t two_reads(uint64_t pmc, uint64_t unused)
{
    uint64_t first, second;

    (void)unused;
    __asm__ volatile("rdpmc\n\t"
                     "shl $32, %%rdx\n\t"
                     "or %%rdx, %%rax\n\t"
                     "mov %%rax, %0\n\t"
                     "nop\n\t"
                     "nop\n\t"
                     "nop\n\t"
                     "nop\n\t"
                     "nop\n\t"
                     "nop\n\t"
                     "rdpmc\n\t"
                     "shl $32, %%rdx\n\t"
                     "or %%rdx, %%rax\n\t"
                     : "=&r"(first), "=&a"(second)
                     : "c"(pmc)
                     : "rdx");
    return second - first;
}

static void closed(const char *when)
{
    check_eq(read_all(0, 0), 0, "%s: #GP in kernel mode", when);
    check_eq(user_run(read_all, 0, 0), 0, "%s: #GP in user mode", when);
    check_eq(read_all(0, 0), 0, "%s: #GP in kernel mode after user mode", when);
    check((pcx_pages[0].counter.flags & XEN_PERFCTR_COUNTER_FLAG_RDPMC) == 0,
          "%s: the page does not claim it", when);
}

/* What is not a slot's must read 0; `own` is a mask of the slots' PMCs. */
static void no_foreign(const char *when, uint64_t own)
{
    unsigned int n, foreign = 0;

    for (n = 0; n < NR_INDEX; n++) {
        if (readable[n] && values[n] != 0 && (n >= 64 || (own >> n & 1) == 0)) {
            print("# rdpmc %x reads %lx\n", index_of(n), values[n]);
            foreign++;
        }
    }
    check_eq(foreign, 0, "%s: no foreign value", when);
}

static void open_and_close(const struct xen_perfctr_query *q)
{
    volatile struct pcx_pages *pages = &pcx_pages[0];
    unsigned int nr_pmc = q->classes[0].nr_pmc;

    pages->control.rdpmc = 1;
    check_eq(read_all(0, 0), 0, "asked for: still #GP before user mode");
    check(user_run(read_all, 0, 0) >= nr_pmc, "asked for: works in user mode");
    no_foreign("no slots", 0);
    check(read_all(0, 0) >= nr_pmc, "asked for: works in kernel mode");
    check((pages->counter.flags & XEN_PERFCTR_COUNTER_FLAG_RDPMC) != 0,
          "asked for: the page says so");
    pages->control.rdpmc = 0;
    user_run(nothing, 0, 0);
    closed("given up");
    pages->control.rdpmc = 0xff;
    check(user_run(read_all, 0, 0) >= nr_pmc, "any nonzero byte asks");
    no_foreign("no slots, again", 0);
}

static void raw_reads(const struct xen_perfctr_query *q)
{
    struct xen_perfctr_program p = {0};
    uint64_t before, now;

    if (!(q->features & XEN_PERFCTR_FEATURE_RAW)) {
        skip("RAW reads", "no such feature");
        return;
    }
    pcx_add(&p, 1, RAW_PMC, XEN_PERFCTR_KIND_RAW, FLAGS_BOTH | XEN_PERFCTR_SLOT_USER_READ);
    check_eq(pcx_program(&p), 0, "program a RAW slot");
    check_eq(user_run(two_reads, RAW_PMC, 0), 10, "two reads in user mode");
    check_eq(two_reads(RAW_PMC, 0), 10, "two reads in kernel mode");
    user_run(read_all, 0, 0);
    no_foreign("a RAW slot", 1u << RAW_PMC);
    check(rdpmc_safe(RAW_PMC, &before), "RAW slot read");
    check_eq(pcx_sync(), 0, "sync");
    check(rdpmc_safe(RAW_PMC, &now), "RAW slot read");
    check(pcx_value(0, 1).user > before && pcx_value(0, 1).user < now,
          "the register is V: %lx < %lx < %lx", before, pcx_value(0, 1).user, now);
}

static void on_vcpu1(void *pcpu)
{
    pin_self((int32_t)(uint64_t)pcpu);
    sched_yield();
    user_run(nothing, 0, 0);
    read_all(0, 0);
}

/* A VCPU that is not registered shares the pcpu with one that may RDPMC. */
static void unregistered_sibling(void)
{
    unsigned int n, nr = 0;

    if (!vcpu_exists(1)) {
        skip("a sibling that is not registered", "one VCPU only");
        return;
    }
    pin_self(0);
    if (!vcpu_start(1, on_vcpu1, NULL) || !vcpu_join(1, 1000000000)) {
        error("VCPU 1 did not run");
        return;
    }
    for (n = 0; n < NR_INDEX; n++) {
        nr += readable[n];
    }
    check_eq(nr, 0, "#GP on a sibling that is not registered");
    check(read_all(0, 0) > 0, "still open here");
    pin_self(PIN_NONE);
}

void test_main(void)
{
    const struct xen_perfctr_query *q = pcx_need_ready();

    property("rdpmc is #GP unless asked for");
    closed("before register");
    check_eq(pcx_register(0), 0, "register");
    closed("not asked for");
    property("rdpmc as the control byte says, no foreign value");
    open_and_close(q);
    property("rdpmc reads a RAW slot");
    raw_reads(q);
    property("a sibling that is not registered cannot rdpmc");
    unregistered_sibling();
    property("rdpmc is #GP after unregister");
    check_eq(pcx_unregister(0), 0, "unregister");
    check_eq(read_all(0, 0), 0, "after unregister: #GP in kernel mode at once");
    pcx_pages[0].control.rdpmc = 1;
    check_eq(user_run(read_all, 0, 0), 0, "after unregister: #GP in user mode");
    check_eq(pcx_register(0), 0, "register again");
    closed("after register again");
    pcx_unregister(0);
}
