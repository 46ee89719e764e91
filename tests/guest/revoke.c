/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: a policy that is changed while VCPUs count takes effect before the call returns, for the
 * caller and for others: what it does not permit has stopped and is REVOKED, its registers read 0 and
 * RDPMC stays open; what it permits counts on without a gap; a set that is permitted again starts
 * from 0.
 * Ground truth: which events the header puts into which class; trips count what trip.S says.
 */
#include "pcx.h"

#define PAGE_WALKS 0xf45 /* not architectural: needs ALLOW_SAFE */
#define NR_PMC 6
#define TURNS 500
#define DOMID_SELF 0x7ff0

static volatile bool other_counts, other_stop;
static volatile uint64_t other_read, other_faults;

static long policy_set(uint32_t level, uint32_t allow)
{
    struct xen_perfctr_policy set = {
        .action = XEN_PERFCTR_POLICY_SET, .domid = DOMID_SELF, .level = level, .allow = allow};
    long rc = pcx_op(XEN_PERFCTR_OP_policy, &set);

    if (rc == 0) {
        check_eq(set.level, level, "set: level comes back");
        check_eq(set.allow, allow, "set: allow comes back");
    }
    return rc;
}

static uint64_t nothing(uint64_t unused0, uint64_t unused1)
{
    (void)unused0;
    (void)unused1;
    return 0;
}

/* The registers' sum, or ~0 when one cannot be read. */
static uint64_t registers(void)
{
    uint64_t sum = 0;
    uint32_t pmc;

    for (pmc = 0; pmc < NR_PMC; pmc++) {
        uint64_t value;

        if (!rdpmc_safe(pmc, &value)) {
            return ~0ull;
        }
        sum |= value;
    }
    return sum;
}

/* Slot 0 counts instructions, slot 3 page walks. */
static void set_make(struct xen_perfctr_program *p)
{
    memset(p, 0, sizeof(*p));
    pcx_add(p, 0, 0, XEN_PERFCTR_KIND_OFFSET, FLAGS_SPLIT);
    pcx_add(p, 3, 3, XEN_PERFCTR_KIND_RAW, FLAGS_BOTH);
    p->slot[1].evtsel = PAGE_WALKS;
}

static void revoked(unsigned int vcpu, unsigned int slot, const char *what)
{
    struct pcx_value v = pcx_value(vcpu, slot);

    check_eq(v.flags, XEN_PERFCTR_REVOKED, "%s: slot %u is REVOKED", what, slot);
    check_eq(v.user + v.kernel, 0, "%s: slot %u reads 0", what, slot);
}

static void partly(void)
{
    struct xen_perfctr_program p;
    uint64_t gen = pcx_pages[0].counter.policy_gen;
    struct pcx_value before, after;

    set_make(&p);
    check_eq(pcx_program(&p), 0, "program");
    check_eq(pcx_sync(), 0, "sync");
    before = pcx_value(0, 0);
    check_eq(policy_set(XEN_PERFCTR_LEVEL_COUNT, XEN_PERFCTR_ALLOW_ARCH), 0, "set: arch");
    revoked(0, 3, "arch");
    check(pcx_pages[0].counter.policy_gen > gen, "the page has a new generation");
    check_eq(pcx_sync(), 0, "sync");
    after = pcx_value(0, 0);
    check_eq(after.flags, XEN_PERFCTR_LIVE, "instructions count on");
    check(after.kernel > before.kernel && after.kernel - before.kernel < 5000,
          "without a gap: %lu and then %lu", before.kernel, after.kernel);
    check_eq(pcx_program(&p), -X_EACCES, "page walks are refused");
    check_eq(p.bad, 1, "by entry");
    revoked(0, 3, "after a refused program");
}

static void wholly(void)
{
    struct xen_perfctr_program p;

    set_make(&p);
    p.nr = 1;
    check_eq(policy_set(XEN_PERFCTR_LEVEL_OFF, XEN_PERFCTR_ALLOW_ARCH), 0, "set: off");
    revoked(0, 0, "off");
    check_eq(registers(), 0, "off: RDPMC is open and all registers read 0");
    user_run(nothing, 0, 0);
    check_eq(registers(), 0, "off: and stay 0");
    check_eq(pcx_sync(), 0, "off: sync");
    revoked(0, 0, "off, later");
    check_eq(pcx_program(&p), -X_EPERM, "off: program");
    check_eq(pcx_register(0), 0, "off: the same frames again");
    pcx_pages[0].control.rdpmc = 1;
    user_run(nothing, 0, 0);
    check_eq(registers(), 0, "off: which finds nothing either");
    check_eq(pcx_value(0, 0).flags, 0, "off: slots are free");
}

static void again(void)
{
    struct xen_perfctr_program p;
    struct trip t;

    check_eq(policy_set(XEN_PERFCTR_LEVEL_COUNT, XEN_PERFCTR_ALLOW_ALL), 0, "set: all");
    check_eq(pcx_value(0, 0).flags, 0, "permitted again, not yet programmed");
    set_make(&p);
    trip_init(&t, &p, TURNS, 3, 7);
    trip_do(&t);
    check_eq(t.program_rc | t.sync_rc, 0, "program and sync");
    check_eq(pcx_value(0, 0).user, TRIP_USER(&t), "user instructions from 0");
    check_eq(pcx_value(0, 0).kernel, TRIP_KERNEL(&t), "kernel instructions from 0");
    check_eq(pcx_value(0, 3).flags, XEN_PERFCTR_LIVE | XEN_PERFCTR_RAW, "page walks again");
}

static void not_built(void)
{
    struct xen_perfctr_policy nobody = {
        .action = XEN_PERFCTR_POLICY_SET, .domid = 77, .level = 1, .allow = 2};

    check_eq(policy_set(XEN_PERFCTR_LEVEL_SAMPLE, XEN_PERFCTR_ALLOW_ALL), -X_EOPNOTSUPP,
             "set: sample");
    check_eq(policy_set(XEN_PERFCTR_LEVEL_RAW, XEN_PERFCTR_ALLOW_ALL), -X_EOPNOTSUPP, "set: raw");
    check_eq(pcx_op(XEN_PERFCTR_OP_policy, &nobody), -X_ESRCH, "set: no such domain");
    check_eq(pcx_value(0, 0).flags, XEN_PERFCTR_LIVE, "a refused change changes nothing");
}

static void other(void *unused)
{
    static struct xen_perfctr_program p;

    (void)unused;
    set_make(&p);
    pcx_program(&p);
    user_run(nothing, 0, 0);
    other_counts = true;
    while (!other_stop) {
        uint64_t sum = registers();

        other_faults += sum == ~0ull;
        other_read = sum;
        sched_yield();
    }
}

/* VCPU 1 counts and reads its registers all the time while VCPU 0 takes it away and gives it back. */
static void of_another(void)
{
    unsigned int n;

    if (!vcpu_exists(1)) {
        skip("another VCPU", "one VCPU only");
        return;
    }
    pcx_pages[1].control.rdpmc = 1;
    check_eq(pcx_register(1), 0, "register VCPU 1");
    pcx_pages[1].control.rdpmc = 1;
    if (!vcpu_start(1, other, NULL)) {
        error("VCPU 1 does not start");
        return;
    }
    while (!other_counts) {
        sched_yield();
    }
    for (n = 0; n < TURNS; n++) {
        check_eq(policy_set(n % 2, XEN_PERFCTR_ALLOW_ARCH), 0, "set, turn %u", n);
        sched_yield();
    }
    check_eq(policy_set(XEN_PERFCTR_LEVEL_OFF, XEN_PERFCTR_ALLOW_ARCH), 0, "set: off");
    revoked(1, 0, "VCPU 1");
    revoked(1, 3, "VCPU 1");
    other_read = 1;
    while (other_read == 1) {
        sched_yield();
    }
    check_eq(other_read, 0, "VCPU 1 reads 0 in all registers");
    other_stop = true;
    if (!vcpu_join(1, 1000000000)) {
        error("VCPU 1 does not end");
    }
    check_eq(other_faults, 0, "RDPMC never faulted on VCPU 1");
    check_eq(pcx_unregister(1), 0, "unregister VCPU 1, off or not");
}

void test_main(void)
{
    pcx_need_ready();
    check_eq(pcx_register(0), 0, "register");
    pcx_pages[0].control.rdpmc = 1;
    user_run(nothing, 0, 0);
    property("a narrower allow-list stops what is not on it");
    partly();
    property("off stops all, and no reader faults");
    wholly();
    property("permitted again: a new set counts from 0");
    again();
    property("what is not built or not there is refused");
    not_built();
    property("another VCPU that counts and reads meanwhile");
    of_another();
    check_eq(pcx_unregister(0), 0, "unregister");
}
