/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: program, check, register and policy answer each wrong input with the documented errno,
 * blame the right entry, and take each right input.
 * Ground truth: include/xen/perfctr.h; one row per cause.
 */
#include <stdio.h>
#include <string.h>

#include "world.h"

#define BOTH (XEN_PERFCTR_SLOT_USER | XEN_PERFCTR_SLOT_KERNEL)
#define SPLIT (BOTH | XEN_PERFCTR_SLOT_SPLIT)

static uint64_t wrong;

static void got(int line, const char *what, long value, long expected)
{
    if (value != expected) {
        printf("# tables.c:%d: %s: got %ld, expected %ld\n", line, what, value, expected);
        wrong++;
    }
}

/* clang-format off */
/* Entry 1 of a set whose entry 0 is a SPLIT slot 0 on PMC 0 counting instructions. */
static const struct {
    int line;
    struct xen_perfctr_slot slot;
    int expected;
} rows[] = {
#define S(...) {__LINE__, {__VA_ARGS__}
    S(.slot = 1, .pmc = 1, .flags = SPLIT, .evtsel = 0xc0), 0},
    S(.slot = 1, .pmc = 1, .flags = SPLIT | XEN_PERFCTR_SLOT_CREDIT, .evtsel = 0xc0), 0},
    S(.slot = 1, .pmc = 1, .flags = SPLIT | XEN_PERFCTR_SLOT_USER_READ, .evtsel = 0x76), 0},
    S(.slot = 5, .pmc = 5, .kind = XEN_PERFCTR_KIND_RAW, .flags = BOTH, .evtsel = 0xc2), 0},
    S(.slot = 5, .pmc = 5, .flags = SPLIT, .evtsel = 0xfff84ffffull & ~0xf00000000ull), 0},
    S(.slot = 1, .pmc = 1, .flags = SPLIT, .cookie = ~0ull), 0},
    /* form */
    S(.slot = 1, .pmc = 1, .flags = SPLIT, .pad = 1), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .flags = SPLIT, .config1 = 1), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .flags = SPLIT, .config2 = 1ull << 63), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .flags = SPLIT, .kind = 3), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .flags = SPLIT, .kind = 0xffff), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .flags = SPLIT | 1u << 5), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .flags = SPLIT | 1u << 31), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .flags = 0), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .flags = XEN_PERFCTR_SLOT_SPLIT), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .flags = SPLIT & ~XEN_PERFCTR_SLOT_USER), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .flags = SPLIT & ~XEN_PERFCTR_SLOT_KERNEL), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .flags = SPLIT, .period = 1), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .flags = SPLIT, .left = 1), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .kind = XEN_PERFCTR_KIND_RAW, .flags = SPLIT), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .kind = XEN_PERFCTR_KIND_RAW, .flags = BOTH, .left = 1), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .kind = XEN_PERFCTR_KIND_SAMPLE, .flags = BOTH), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .kind = XEN_PERFCTR_KIND_SAMPLE, .flags = BOTH, .period = 9),
     -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .kind = XEN_PERFCTR_KIND_SAMPLE, .flags = BOTH, .period = 9, .left = 10),
     -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .kind = XEN_PERFCTR_KIND_SAMPLE, .flags = SPLIT, .period = 9, .left = 9),
     -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .kind = XEN_PERFCTR_KIND_SAMPLE,
      .flags = BOTH | XEN_PERFCTR_SLOT_USER_READ, .period = 9, .left = 9), -PCX_EINVAL},
    /* machine */
    S(.slot = 6, .pmc = 1, .flags = SPLIT), -PCX_ENXIO},
    S(.slot = 0xffff, .pmc = 1, .flags = SPLIT), -PCX_ENXIO},
    S(.slot = 1, .pmc = 6, .flags = SPLIT), -PCX_ENXIO},
    S(.slot = 1, .pmc = 0xffff, .flags = SPLIT), -PCX_ENXIO},
    S(.slot = 1, .pmc_class = XEN_PERFCTR_CLASS_FIXED, .flags = SPLIT), -PCX_ENXIO},
    S(.slot = 1, .pmc_class = XEN_PERFCTR_MAX_CLASSES, .flags = SPLIT), -PCX_ENXIO},
    S(.slot = 1, .pmc_class = 0xffff, .flags = SPLIT), -PCX_ENXIO},
    S(.slot = 0, .pmc = 1, .flags = SPLIT), -PCX_EINVAL},
    S(.slot = 1, .pmc = 0, .flags = SPLIT), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .flags = SPLIT, .evtsel = 0xc0 | 1ull << 16), -PCX_EINVAL}, /* USR */
    S(.slot = 1, .pmc = 1, .flags = SPLIT, .evtsel = 0xc0 | 1ull << 17), -PCX_EINVAL}, /* OS */
    S(.slot = 1, .pmc = 1, .flags = SPLIT, .evtsel = 0xc0 | 1ull << 19), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .flags = SPLIT, .evtsel = 0xc0 | 1ull << 20), -PCX_EINVAL}, /* INT */
    S(.slot = 1, .pmc = 1, .flags = SPLIT, .evtsel = 0xc0 | 1ull << 21), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .flags = SPLIT, .evtsel = 0xc0 | 1ull << 22), -PCX_EINVAL}, /* EN */
    S(.slot = 1, .pmc = 1, .flags = SPLIT, .evtsel = 0xc0 | 1ull << 36), -PCX_EINVAL},
    S(.slot = 1, .pmc = 1, .flags = SPLIT, .evtsel = 0xc0 | 1ull << 40), -PCX_EINVAL}, /* Guest */
    S(.slot = 1, .pmc = 1, .flags = SPLIT, .evtsel = 0xc0 | 1ull << 41), -PCX_EINVAL}, /* Host */
    S(.slot = 1, .pmc = 1, .flags = SPLIT, .evtsel = 0xc0 | 1ull << 63), -PCX_EINVAL},
    /* not in this version */
    S(.slot = 1, .pmc = 1, .flags = BOTH), -PCX_EOPNOTSUPP},
    S(.slot = 1, .pmc = 1, .flags = XEN_PERFCTR_SLOT_USER), -PCX_EOPNOTSUPP},
    S(.slot = 1, .pmc = 1, .kind = XEN_PERFCTR_KIND_RAW, .flags = XEN_PERFCTR_SLOT_KERNEL),
     -PCX_EOPNOTSUPP},
    S(.slot = 1, .pmc = 1, .kind = XEN_PERFCTR_KIND_SAMPLE, .flags = BOTH, .period = 9, .left = 9),
     -PCX_EOPNOTSUPP},
    /* permission */
    S(.slot = 4, .pmc = 4, .flags = SPLIT, .evtsel = 0xf000000ffull), -PCX_EACCES}, /* merge */
    S(.slot = 3, .pmc = 3, .flags = SPLIT, .evtsel = 0xc0), -PCX_EBUSY}, /* held by a session */
#undef S
};
/* clang-format on */

static void slots_check(void)
{
    struct pcx_domain *domain = &world_domains[0].core;
    struct xen_perfctr_program arg;
    uint32_t bad;
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int ret;

        memset(&arg, 0, sizeof(arg));
        arg.nr = 2;
        arg.slot[0].flags = SPLIT;
        arg.slot[0].evtsel = 0xc0;
        arg.slot[1] = rows[i].slot;
        pcx_host.avail_mask[0] = rows[i].expected == -PCX_EBUSY ? 0x37 : 0x3f;
        ret = pcx_program_check(domain, &arg, &bad);
        got(rows[i].line, "check", ret, rows[i].expected);
        got(rows[i].line, "entry blamed", bad, ret == 0 ? 2 : 1);
    }
    pcx_host.avail_mask[0] = 0x3f;
    memset(&arg, 0, sizeof(arg));
    got(__LINE__, "an empty set", pcx_program_check(domain, &arg, &bad), 0);
    arg.nr = pcx_host.nr_slots + 1;
    got(__LINE__, "one slot too many", pcx_program_check(domain, &arg, &bad), -PCX_E2BIG);
    arg.nr = ~0u;
    got(__LINE__, "far too many slots", pcx_program_check(domain, &arg, &bad), -PCX_E2BIG);
    arg.nr = 0;
    arg.bad = 1;
    got(__LINE__, "bad is not 0", pcx_program_check(domain, &arg, &bad), -PCX_EINVAL);
}

static void policies_check(void)
{
    static const struct {
        int line;
        uint64_t evtsel;
        int arch, safe, all;
    } events[] = {
        {__LINE__, 0xc0, 0, 0, 0},
        {__LINE__, 0x76, 0, 0, 0},
        {__LINE__, 0xc4, 0, 0, 0},
        {__LINE__, 0xc0 | 1ull << 18 | 1ull << 23 | 7ull << 24, 0, 0, 0},
        {__LINE__, 0x01c0, -PCX_EACCES, 0, 0},
        {__LINE__, 0x45, -PCX_EACCES, 0, 0},
        {__LINE__, 0xff60, -PCX_EACCES, 0, 0},
        {__LINE__, 0xd1, -PCX_EACCES, 0, 0},
        {__LINE__, 0x2c, -PCX_EACCES, -PCX_EACCES, 0},
        {__LINE__, 0x1000000c0ull, -PCX_EACCES, -PCX_EACCES, 0},
        {__LINE__, 0xf000000ffull, -PCX_EACCES, -PCX_EACCES, -PCX_EACCES},
    };
    struct pcx_domain domain = world_domains[0].core;
    uint32_t allow, bad;
    size_t i;

    for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        int expected[3] = {events[i].arch, events[i].safe, events[i].all};

        for (allow = 0; allow < 3; allow++) {
            struct xen_perfctr_program arg = {.nr = 1};

            arg.slot[0].flags = SPLIT;
            arg.slot[0].evtsel = events[i].evtsel;
            domain.policy.allow = allow;
            got(events[i].line, "allow-list", pcx_program_check(&domain, &arg, &bad),
                expected[allow]);
            domain.policy.level = XEN_PERFCTR_LEVEL_OFF;
            got(events[i].line, "level off", pcx_program_check(&domain, &arg, &bad), -PCX_EPERM);
            domain.policy.level = XEN_PERFCTR_LEVEL_COUNT;
        }
    }
}

static void registers_check(void){/* clang-format off */
    static const struct {
        int line;
        struct xen_perfctr_register arg;
        int expected;
    } bad[] = {
#define R(...) {__LINE__, {.counter_gfn = 1, .control_gfn = 2, __VA_ARGS__}
        R(.flags = 1), -PCX_EINVAL},
        R(.pad = 1), -PCX_EINVAL},
        R(.nr_ring = XEN_PERFCTR_MAX_RING + 1), -PCX_EINVAL},
        R(.nr_ring = ~0u), -PCX_EINVAL},
        R(.nr_ring = 1, .ring_gfn = {1}), -PCX_EINVAL},
        R(.nr_ring = 1, .ring_gfn = {2}), -PCX_EINVAL},
        R(.nr_ring = 3, .ring_gfn = {3, 4, 3}), -PCX_EINVAL},
        R(.nr_ring = 2, .ring_gfn = {3, 5}), -PCX_ENXIO}, /* 5 is not memory */
        R(.nr_ring = 1, .ring_gfn = {~0ull}), -PCX_ENXIO},
#undef R
        {__LINE__, {.counter_gfn = 2, .control_gfn = 2}, -PCX_EINVAL},
        {__LINE__, {.counter_gfn = 5, .control_gfn = 2}, -PCX_ENXIO},
        {__LINE__, {.counter_gfn = 1, .control_gfn = 5}, -PCX_ENXIO},
    };
/* clang-format on */
struct pcx_domain *domain = &world_domains[0].core;
struct world_vcpu *v = &world_vcpus[0];
struct xen_perfctr_register arg;
size_t i;

fake_gfn_bad[5] = true;
for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    got(bad[i].line, "register", pcx_vcpu_register(NULL, domain, &bad[i].arg, false, &v->core),
        bad[i].expected);
    got(bad[i].line, "registered", v->core != NULL, 0);
    got(bad[i].line, "left behind", fake_nr_memory, 0);
}
domain->policy.level = XEN_PERFCTR_LEVEL_OFF;
got(__LINE__, "register, level off", world_register(v), -PCX_EPERM);
domain->policy.level = XEN_PERFCTR_LEVEL_COUNT;
got(__LINE__, "register", world_register(v), 0);
got(__LINE__, "register again", world_register(v), 0);
world_register_arg(v, &arg);
arg.control_gfn = 100;
got(__LINE__, "register with another frame", pcx_vcpu_register(NULL, domain, &arg, false, &v->core),
    -PCX_EEXIST);
world_register_arg(v, &arg);
arg.nr_ring = 0;
got(__LINE__, "register with fewer frames", pcx_vcpu_register(NULL, domain, &arg, false, &v->core),
    -PCX_EEXIST);
world_unregister(v);
got(__LINE__, "left behind", fake_nr_memory, 0);
}

/* A frozen reader's seq never comes back, and a page starts clean. */
static void pages_check(void)
{
    struct world_vcpu *v = &world_vcpus[1];
    struct xen_perfctr_counter_page *page;
    struct xen_perfctr_register arg;
    uint64_t seq;

    got(__LINE__, "register", world_register(v), 0);
    world_register_arg(v, &arg);
    page = fake_frame(arg.counter_gfn);
    got(__LINE__, "version", page->version, 1 << 16);
    got(__LINE__, "vcpu", page->vcpu, 1);
    got(__LINE__, "nr_slots", page->nr_slots, 6);
    got(__LINE__, "avail_mask", (long)page->avail_mask[0], 0x3f);
    got(__LINE__, "unused part", ((uint8_t *)page)[XEN_PERFCTR_PAGE_BYTES - 1], 0);
    got(__LINE__, "ring", *(uint8_t *)fake_frame(arg.ring_gfn[0]), 0);
    seq = page->seq;
    world_unregister(v);
    got(__LINE__, "register", world_register(v), 0);
    got(__LINE__, "fresh seq", page->seq > seq && page->seq % 2 == 0, 1);
    seq = page->seq;
    got(__LINE__, "register again", world_register(v), 0);
    got(__LINE__, "fresh seq", page->seq > seq && page->seq % 2 == 0, 1);
    world_unregister(v);
}

static void control_check(void)
{
    struct xen_perfctr_policy arg = {.domid = 1};
    struct xen_perfctr_query query;

    got(__LINE__, "policy", pcx_policy_check(&arg), 0);
    pcx_policy_get(&world_domains[0].core, &arg);
    got(__LINE__, "level", arg.level, XEN_PERFCTR_LEVEL_COUNT);
    arg.pad = 1;
    got(__LINE__, "policy pad", pcx_policy_check(&arg), -PCX_EINVAL);
    arg = (struct xen_perfctr_policy){.action = 2};
    got(__LINE__, "policy action", pcx_policy_check(&arg), -PCX_EINVAL);
    arg = (struct xen_perfctr_policy){.action = 1, .level = 4};
    got(__LINE__, "policy level", pcx_policy_check(&arg), -PCX_EINVAL);
    arg = (struct xen_perfctr_policy){.action = 1, .allow = 3};
    got(__LINE__, "policy allow", pcx_policy_check(&arg), -PCX_EINVAL);
    arg = (struct xen_perfctr_policy){.action = 1, .flags = 2};
    got(__LINE__, "policy flags", pcx_policy_check(&arg), -PCX_EINVAL);
    arg = (struct xen_perfctr_policy){.action = 1, .level = 2};
    got(__LINE__, "policy set: sample", pcx_policy_check(&arg), -PCX_EOPNOTSUPP);
    arg = (struct xen_perfctr_policy){.action = 1, .flags = 1};
    got(__LINE__, "policy set: trusted", pcx_policy_check(&arg), -PCX_EOPNOTSUPP);
    arg = (struct xen_perfctr_policy){.action = 1, .budget = 1};
    got(__LINE__, "policy set: budget", pcx_policy_check(&arg), -PCX_EOPNOTSUPP);
    arg = (struct xen_perfctr_policy){.action = 1, .period_floor = 1};
    got(__LINE__, "policy set: floor", pcx_policy_check(&arg), -PCX_EOPNOTSUPP);
    arg = (struct xen_perfctr_policy){.action = 1, .level = 1, .allow = 2};
    got(__LINE__, "policy set", pcx_policy_check(&arg), 0);
    pcx_query_fill(&world_domains[0].core, XEN_PERFCTR_STATUS_READY, &query);
    got(__LINE__, "query magic", query.magic, XEN_PERFCTR_MAGIC);
    got(__LINE__, "query slots", query.nr_slots, 6);
    got(__LINE__, "query evtsel_mask", (long)query.classes[0].evtsel_mask, 0xfff84ffffl);
    pcx_query_fill(&world_domains[0].core, XEN_PERFCTR_STATUS_OFF, &query);
    got(__LINE__, "query, off: magic", query.magic, XEN_PERFCTR_MAGIC);
    got(__LINE__, "query, off: all else", query.pmu | query.features | query.nr_slots, 0);
}

static int result(const char *name)
{
    int bad = wrong != 0;

    printf("%s - %s\n", bad ? "not ok" : "ok", name);
    wrong = 0;
    return bad;
}

int main(void)
{
    int bad = 0;

    world_init(false);
    slots_check();
    bad |= result("program and check: every cause, every entry");
    policies_check();
    bad |= result("allow-lists and levels");
    registers_check();
    bad |= result("register: every cause");
    pages_check();
    bad |= result("pages start clean, with a seq never seen");
    control_check();
    bad |= result("policy and query");
    world_finish();
    return bad;
}
