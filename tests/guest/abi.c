/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: every op answers every single wrong input with the errno that include/xen/perfctr.h
 * documents for it, and an error changes nothing.
 * Ground truth: the header. A row changes one field of a good argument; a failure names its line.
 */
#include "pcx.h"

struct row {
    int line;
    const char *what;
    unsigned int offset, bytes;
    uint64_t value;
    long want;
    uint32_t bad; /* program: entry to blame, NO_BAD: not looked at */
};

#define NO_BAD 99
#define ROW(type, field, val, err, blame)                                                          \
    {                                                                                              \
        __LINE__, #field " = " #val, offsetof(struct type, field),                                 \
            sizeof(((struct type *)NULL)->field), val, -(X_##err), blame                           \
    }
#define PROGRAM(field, val, err, blame) ROW(xen_perfctr_program, field, val, err, blame)
#define REGISTER(field, val, err) ROW(xen_perfctr_register, field, val, err, NO_BAD)
#define POLICY(field, val, err) ROW(xen_perfctr_policy, field, val, err, NO_BAD)

#define BIT(n) (1ull << (n))

/* Applied to: entry 0 SPLIT in slot 0 on PMC 0, entry 1 RAW in slot 1 on PMC 1. */
static const struct row program_rows[] = {
    PROGRAM(nr, 33, E2BIG, NO_BAD),
    PROGRAM(nr, 0xffffffff, E2BIG, NO_BAD),
    PROGRAM(bad, 1, EINVAL, NO_BAD),
    PROGRAM(slot[0].pad, 1, EINVAL, 0),
    PROGRAM(slot[1].pad, 0x80000000, EINVAL, 1),
    PROGRAM(slot[0].config1, 1, EINVAL, 0),
    PROGRAM(slot[1].config2, BIT(63), EINVAL, 1),
    PROGRAM(slot[0].kind, 3, EINVAL, 0),
    PROGRAM(slot[1].kind, 0xffff, EINVAL, 1),
    PROGRAM(slot[0].flags, 0, EINVAL, 0),
    PROGRAM(slot[0].flags, FLAGS_SPLIT | BIT(5), EINVAL, 0),
    PROGRAM(slot[1].flags, FLAGS_BOTH | BIT(31), EINVAL, 1),
    PROGRAM(slot[0].flags, XEN_PERFCTR_SLOT_SPLIT, EINVAL, 0),
    PROGRAM(slot[0].flags, XEN_PERFCTR_SLOT_SPLIT | XEN_PERFCTR_SLOT_USER, EINVAL, 0),
    PROGRAM(slot[0].flags, XEN_PERFCTR_SLOT_SPLIT | XEN_PERFCTR_SLOT_KERNEL, EINVAL, 0),
    PROGRAM(slot[1].flags, FLAGS_SPLIT, EINVAL, 1),
    PROGRAM(slot[0].period, 1, EINVAL, 0),
    PROGRAM(slot[1].period, 1000000, EINVAL, 1),
    PROGRAM(slot[0].left, 1, EINVAL, 0),
    PROGRAM(slot[1].left, 1, EINVAL, 1),
    PROGRAM(slot[0].evtsel, 0xc0 | BIT(16), EINVAL, 0),
    PROGRAM(slot[0].evtsel, 0xc0 | BIT(17), EINVAL, 0),
    PROGRAM(slot[0].evtsel, 0xc0 | BIT(19), EINVAL, 0),
    PROGRAM(slot[0].evtsel, 0xc0 | BIT(20), EINVAL, 0),
    PROGRAM(slot[0].evtsel, 0xc0 | BIT(21), EINVAL, 0),
    PROGRAM(slot[1].evtsel, 0xc0 | BIT(22), EINVAL, 1),
    PROGRAM(slot[1].evtsel, 0xc0 | BIT(36), EINVAL, 1),
    PROGRAM(slot[1].evtsel, 0xc0 | BIT(40), EINVAL, 1),
    PROGRAM(slot[1].evtsel, 0xc0 | BIT(41), EINVAL, 1),
    PROGRAM(slot[1].evtsel, 0xc0 | BIT(42), EINVAL, 1),
    PROGRAM(slot[0].evtsel, 0xc0 | BIT(63), EINVAL, 0),
    PROGRAM(slot[1].slot, 0, EINVAL, 1),
    PROGRAM(slot[1].pmc, 0, EINVAL, 1),
    PROGRAM(slot[0].slot, 32, ENXIO, 0),
    PROGRAM(slot[1].slot, 0xffff, ENXIO, 1),
    PROGRAM(slot[0].pmc_class, XEN_PERFCTR_MAX_CLASSES, ENXIO, 0),
    PROGRAM(slot[1].pmc_class, 0xffff, ENXIO, 1),
    PROGRAM(slot[0].pmc, 16, ENXIO, 0),
    PROGRAM(slot[1].pmc, 0xffff, ENXIO, 1),
    /* PerfMergeEvent would join two counters. */
    PROGRAM(slot[0].evtsel, BIT(35) | BIT(34) | BIT(33) | BIT(32) | 0xff, EACCES, 0),
};

static const struct row register_rows[] = {
    REGISTER(flags, 1, EINVAL),
    REGISTER(flags, 0x80000000, EINVAL),
    REGISTER(pad, 1, EINVAL),
    REGISTER(nr_ring, XEN_PERFCTR_MAX_RING + 1, EINVAL),
    REGISTER(nr_ring, 0xffffffff, EINVAL),
    REGISTER(vcpu, 1000, ENOENT),
    REGISTER(vcpu, 0xffffffff, ENOENT),
};

static const struct row policy_rows[] = {
    POLICY(pad, 1, EINVAL),
    POLICY(action, 2, EINVAL),
    POLICY(action, 0xffffffff, EINVAL),
    POLICY(domid, 0x1234, ESRCH),
    POLICY(domid, 0x7fff, ESRCH),
};

static uint8_t trap_pages[3][PAGE_BYTES] PAGE_ALIGNED; /* [1] read-only, [2] not mapped */

static void check_row(const struct row *row, const char *op, long got)
{
    check_eq_at(__FILE__, row->line, got, row->want, "%s: %s", op, row->what);
}

static void apply(const struct row *row, void *arg)
{
    memcpy((uint8_t *)arg + row->offset, &row->value, row->bytes);
}

static void good_set(struct xen_perfctr_program *p)
{
    memset(p, 0, sizeof(*p));
    pcx_add(p, 0, 0, XEN_PERFCTR_KIND_OFFSET, FLAGS_SPLIT);
    pcx_add(p, 1, 1, XEN_PERFCTR_KIND_RAW, FLAGS_BOTH);
}

static void program_rows_with(unsigned int op, const char *name)
{
    static struct xen_perfctr_program p;
    unsigned int n;

    for (n = 0; n < ARRAY_LEN(program_rows); n++) {
        const struct row *row = &program_rows[n];

        good_set(&p);
        apply(row, &p);
        check_row(row, name, pcx_op(op, &p));
        if (row->bad != NO_BAD && p.bad != row->bad) {
            check_eq_at(__FILE__, row->line, p.bad, row->bad, "%s: %s: entry blamed", name,
                        row->what);
        }
    }
    good_set(&p);
    check_eq(pcx_op(op, &p), 0, "%s: a good set", name);
    check_eq(p.bad, p.nr, "%s: a good set blames none", name);
}

static void program_by_query(unsigned int op, const char *name, const struct xen_perfctr_query *q)
{
    static struct xen_perfctr_program p;
    const struct xen_perfctr_class *fixed = &q->classes[XEN_PERFCTR_CLASS_FIXED];

    good_set(&p);
    p.nr = q->nr_slots + 1;
    check_eq(pcx_op(op, &p), -X_E2BIG, "%s: nr one above nr_slots", name);
    good_set(&p);
    p.slot[1].slot = (uint16_t)q->nr_slots;
    check_eq(pcx_op(op, &p), -X_ENXIO, "%s: slot one above the last", name);
    good_set(&p);
    p.slot[1].pmc = (uint16_t)q->classes[XEN_PERFCTR_CLASS_CORE].nr_pmc;
    check_eq(pcx_op(op, &p), -X_ENXIO, "%s: PMC one above the last", name);
    if (fixed->nr_pmc == 0) {
        good_set(&p);
        p.slot[1].pmc_class = XEN_PERFCTR_CLASS_FIXED;
        check_eq(pcx_op(op, &p), -X_ENXIO, "%s: class that is absent", name);
    }
    if (!(q->features & XEN_PERFCTR_FEATURE_SAMPLE)) {
        good_set(&p);
        p.slot[1].kind = XEN_PERFCTR_KIND_SAMPLE;
        p.slot[1].period = p.slot[1].left = 1000000;
        check_eq(pcx_op(op, &p), -X_EOPNOTSUPP, "%s: SAMPLE without the feature", name);
    }
    if (!(q->features & XEN_PERFCTR_FEATURE_GATE)) {
        good_set(&p);
        p.slot[1].flags = XEN_PERFCTR_SLOT_USER;
        check_eq(pcx_op(op, &p), -X_EOPNOTSUPP, "%s: RAW in one mode without GATE", name);
    }
    if (!(q->features & XEN_PERFCTR_FEATURE_OFFSET)) {
        good_set(&p);
        p.slot[0].flags = FLAGS_BOTH;
        check_eq(pcx_op(op, &p), -X_EOPNOTSUPP, "%s: OFFSET without SPLIT", name);
    }
}

/* Arguments that cannot be read or written. */
static void bad_pointers(void)
{
    static const unsigned int ops[] = {
        XEN_PERFCTR_OP_query, XEN_PERFCTR_OP_register, XEN_PERFCTR_OP_unregister,
        XEN_PERFCTR_OP_check, XEN_PERFCTR_OP_program,  XEN_PERFCTR_OP_policy,
    };
    static const uint64_t wild[] = {
        0, 8, 0x0000900000000000, 0xffff830000000000, 0xffff830000100000, 0xfffffffffffffff8,
    };
    struct xen_perfctr_program *p = (struct xen_perfctr_program *)trap_pages[1];
    unsigned int n, m;

    map_page(trap_pages[2], 0, 0);
    for (n = 0; n < ARRAY_LEN(ops); n++) {
        for (m = 0; m < ARRAY_LEN(wild); m++) {
            check_eq(pcx_op(ops[n], (void *)wild[m]), -X_EFAULT, "op %u: argument at %lx", ops[n],
                     wild[m]);
        }
        check_eq(pcx_op(ops[n], trap_pages[2] - 4), -X_EFAULT, "op %u: argument cut off", ops[n]);
    }
    good_set(p);
    map_page(trap_pages[1], mfn_of(trap_pages[1]), PTE_RO);
    check_eq(pcx_op(XEN_PERFCTR_OP_query, trap_pages[1]), -X_EFAULT, "query: read-only argument");
    map_page(trap_pages[1], mfn_of(trap_pages[1]), PTE_RW);
    map_page(trap_pages[2], mfn_of(trap_pages[2]), PTE_RW);
}

static void rows(const struct row *row, unsigned int nr, unsigned int op, const char *name)
{
    for (; nr-- != 0; row++) {
        union {
            struct xen_perfctr_register reg;
            struct xen_perfctr_policy policy;
        } arg;

        memset(&arg, 0, sizeof(arg));
        if (op == XEN_PERFCTR_OP_register) {
            pcx_register_arg(&arg.reg, 0);
        }
        apply(row, &arg);
        check_row(row, name, pcx_op(op, &arg));
    }
}

static void unknown_ops(void)
{
    static const unsigned int ops[] = {6, 7, 15, 19, 31, 255, 0x10000, 0x80000000, 0xffffffff};
    unsigned int n;

    for (n = 0; n < ARRAY_LEN(ops); n++) {
        check_eq(pcx_op(ops[n], trap_pages[0]), -X_ENOSYS, "op %x is unknown", ops[n]);
    }
    check_eq(pcx_op(XEN_PERFCTR_OP_accounts, trap_pages[0]), -X_EOPNOTSUPP, "accounts");
    check_eq(pcx_op(XEN_PERFCTR_OP_session, trap_pages[0]), -X_EOPNOTSUPP, "session");
}

static void unregister_rows(void)
{
    struct xen_perfctr_unregister arg = {0, 1};

    check_eq(pcx_op(XEN_PERFCTR_OP_unregister, &arg), -X_EINVAL, "unregister: pad = 1");
    arg = (struct xen_perfctr_unregister){1000, 0};
    check_eq(pcx_op(XEN_PERFCTR_OP_unregister, &arg), -X_ENOENT, "unregister: no such VCPU");
}

static void check_query(const struct xen_perfctr_query *q)
{
    const struct xen_perfctr_class *core = &q->classes[XEN_PERFCTR_CLASS_CORE];

    check_eq(q->major, XEN_PERFCTR_VERSION_MAJOR, "query: major");
    check_eq(q->minor, XEN_PERFCTR_VERSION_MINOR, "query: minor");
    check(q->pmu == XEN_PERFCTR_PMU_AMD_CORE, "query: pmu %u", q->pmu);
    check(q->nr_slots > 0 && q->nr_slots <= XEN_PERFCTR_MAX_SLOTS, "query: %u slots", q->nr_slots);
    check(q->level >= XEN_PERFCTR_LEVEL_COUNT, "query: level %u", q->level);
    check((q->features & XEN_PERFCTR_FEATURE_SPLIT) != 0, "query: features %x", q->features);
    check(core->nr_pmc == 6 && core->width_bits == 48, "query: %u counters of %u bits",
          core->nr_pmc, core->width_bits);
    check_eq(core->rdpmc_base, 0, "query: rdpmc_base");
    check_eq(core->evtsel_mask, 0xfff84ffffull & core->evtsel_mask,
             "query: evtsel_mask %lx leaves EN, INT and ring to Xen", core->evtsel_mask);
}

static void registered(const struct xen_perfctr_query *q)
{
    const volatile struct xen_perfctr_counter_page *page = &pcx_pages[0].counter;

    check_eq(pcx_register(0), 0, "register");
    check_eq(page->version, XEN_PERFCTR_VERSION_MAJOR << 16 | XEN_PERFCTR_VERSION_MINOR,
             "counter page: version");
    check(page->vcpu == 0 && page->mode == XEN_PERFCTR_MODE_KERNEL, "counter page: VCPU, mode");
    check_eq(page->nr_slots, q->nr_slots, "counter page: nr_slots");
    check_eq(page->avail_mask[0], BIT(q->classes[0].nr_pmc) - 1, "counter page: avail_mask");
    check_eq(pcx_pages[0].control.nr_ring, PCX_RING_PAGES, "control page: nr_ring");
    program_rows_with(XEN_PERFCTR_OP_program, "program");
    check((pcx_value(0, 0).flags & XEN_PERFCTR_LIVE) != 0, "slot 0 lives");
    program_rows_with(XEN_PERFCTR_OP_program, "program");
    program_by_query(XEN_PERFCTR_OP_program, "program", q);
    check((pcx_value(0, 0).flags & XEN_PERFCTR_LIVE) != 0, "errors leave slot 0 alive");
    check_eq(hypercall2(HC_perfctr_op, XEN_PERFCTR_OP_sync, 8), -X_EINVAL, "sync: arg = 8");
    check_eq(pcx_unregister(0), 0, "unregister");
}

void test_main(void)
{
    const struct xen_perfctr_query *q = pcx_need_ready();
    static struct xen_perfctr_program p;
    struct xen_perfctr_policy policy = {0};

    property("query");
    check_query(q);
    property("unknown ops");
    unknown_ops();
    property("not registered");
    good_set(&p);
    check_eq(pcx_op(XEN_PERFCTR_OP_program, &p), -X_ENOENT, "program: not registered");
    check_eq(pcx_sync(), -X_ENOENT, "sync: not registered");
    check_eq(pcx_unregister(0), -X_ENOENT, "unregister: not registered");
    property("check: every wrong input");
    program_rows_with(XEN_PERFCTR_OP_check, "check");
    program_by_query(XEN_PERFCTR_OP_check, "check", q);
    property("register, unregister: wrong fields");
    rows(register_rows, ARRAY_LEN(register_rows), XEN_PERFCTR_OP_register, "register");
    unregister_rows();
    property("policy: wrong fields");
    rows(policy_rows, ARRAY_LEN(policy_rows), XEN_PERFCTR_OP_policy, "policy");
    check_eq(pcx_op(XEN_PERFCTR_OP_policy, &policy), 0, "policy: get");
    check(policy.level == q->level && policy.allow == q->allow, "policy agrees with query");
    property("arguments that cannot be read or written");
    check_eq(pcx_register(0), 0, "register");
    bad_pointers();
    check_eq(pcx_unregister(0), 0, "unregister");
    check_eq(pcx_sync(), -X_ENOENT, "nothing of that registered the VCPU");
    property("program: every wrong input, and nothing changes");
    registered(q);
}
