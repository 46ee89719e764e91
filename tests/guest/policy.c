/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: a domain gets what its policy on Xen's command line permits, and the documented errno
 * for the rest.
 * Ground truth: the first word here repeats that policy (policy_*.test); the classes of events are
 * those that include/xen/perfctr.h defines.
 */
#include "pcx.h"

struct policy {
    const char *word;
    uint32_t level, allow;
};

static const struct policy policies[] = {
    {"off", XEN_PERFCTR_LEVEL_OFF, XEN_PERFCTR_ALLOW_ARCH},
    {"arch", XEN_PERFCTR_LEVEL_COUNT, XEN_PERFCTR_ALLOW_ARCH},
    {"safe", XEN_PERFCTR_LEVEL_COUNT, XEN_PERFCTR_ALLOW_SAFE},
    {"all", XEN_PERFCTR_LEVEL_COUNT, XEN_PERFCTR_ALLOW_ALL},
};

#define NOBODY 3 /* more than ALLOW_ALL */

static const struct {
    int line;
    const char *what;
    uint64_t evtsel;
    uint32_t allow; /* the smallest that permits it */
} events[] = {
    {__LINE__, "instructions", 0xc0, XEN_PERFCTR_ALLOW_ARCH},
    {__LINE__, "cycles", 0x76, XEN_PERFCTR_ALLOW_ARCH},
    {__LINE__, "branches", 0xc2, XEN_PERFCTR_ALLOW_ARCH},
    {__LINE__, "branches, edge, cmask 1", 0x10400c2, XEN_PERFCTR_ALLOW_ARCH},
    {__LINE__, "page walks", 0xf45, XEN_PERFCTR_ALLOW_SAFE},
    {__LINE__, "data cache accesses", 0x40, XEN_PERFCTR_ALLOW_SAFE},
    {__LINE__, "an unknown event", 0xff, XEN_PERFCTR_ALLOW_ALL},
    {__LINE__, "an unknown event above 0xff", 0x10000000e, XEN_PERFCTR_ALLOW_ALL},
    {__LINE__, "PerfMergeEvent", 0xf000000ff, NOBODY},
    {__LINE__, "PerfMergeEvent with a unit mask", 0xf0000ffff, NOBODY},
};

static void check_events(const struct policy *policy, unsigned int op, const char *name)
{
    struct xen_perfctr_program p;
    unsigned int n;

    for (n = 0; n < ARRAY_LEN(events); n++) {
        long want = events[n].allow <= policy->allow ? 0 : -X_EACCES;

        if (policy->level == XEN_PERFCTR_LEVEL_OFF) {
            want = -X_EPERM;
        }
        memset(&p, 0, sizeof(p));
        pcx_add(&p, 0, 0, XEN_PERFCTR_KIND_OFFSET, FLAGS_SPLIT);
        p.slot[0].evtsel = events[n].evtsel;
        check_eq_at(__FILE__, events[n].line, pcx_op(op, &p), want, "%s: %s", name, events[n].what);
    }
}

static void check_policy(const struct policy *policy, const struct xen_perfctr_query *q)
{
    struct xen_perfctr_policy get = {0};

    property("query and policy agree with the command line");
    check_eq(q->level, policy->level, "query: level");
    check_eq(q->allow, policy->allow, "query: allow");
    check_eq(q->period_floor, 0, "query: no sampling, no period floor");
    check_eq(pcx_op(XEN_PERFCTR_OP_policy, &get), 0, "policy: get");
    check_eq(get.level, policy->level, "policy: level");
    check_eq(get.allow, policy->allow, "policy: allow");
    check_eq(get.policy_gen, q->policy_gen, "policy: generation");
    property("events as the policy permits");
    check_events(policy, XEN_PERFCTR_OP_check, "check");
    if (policy->level == XEN_PERFCTR_LEVEL_OFF) {
        check_eq(pcx_register(0), -X_EPERM, "register");
        check_eq(pcx_sync(), -X_ENOENT, "and it is not registered");
        return;
    }
    check_eq(pcx_register(0), 0, "register");
    check_events(policy, XEN_PERFCTR_OP_program, "program");
    check_eq(pcx_unregister(0), 0, "unregister");
}

void test_main(void)
{
    const struct xen_perfctr_query *q = pcx_need_ready();
    unsigned int n;

    for (n = 0; n < ARRAY_LEN(policies); n++) {
        if (has_word(policies[n].word)) {
            check_policy(&policies[n], q);
            return;
        }
    }
    error("no policy on the command line: %s", start_info->cmd_line);
}
