/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: mode changes and VCPU switches cost the counter reads and MSR writes that the design
 * allows and no more.
 * Ground truth: the machine's own counts between markers; cost.test holds the limits by marker id.
 */
#include "../lib/marker.h"
#include "pcx.h"

#define TURNS 1000

static volatile bool stop_other, other_runs;
static volatile uint64_t turns_of_other;

static uint64_t nothing(uint64_t unused0, uint64_t unused1)
{
    (void)unused0;
    (void)unused1;
    return 0;
}

static void mode_changes(void)
{
    unsigned int n;

    for (n = 0; n < TURNS; n++) {
        user_run(nothing, 0, 0);
    }
}

static void idle_between(void)
{
    struct sched_poll poll = {0, 0, 0, 0};
    unsigned int n;

    for (n = 0; n < TURNS / 10; n++) {
        poll.timeout = now_ns() + 20000;
        hypercall2(HC_sched_op, SCHEDOP_POLL, (uint64_t)&poll);
    }
}

static void set(unsigned int nr, unsigned int kind)
{
    static struct xen_perfctr_program p[NR_VCPUS];
    struct xen_perfctr_program *mine = &p[this_vcpu()->id];
    unsigned int n;

    pcx_cookie++;
    memset(mine, 0, sizeof(*mine));
    for (n = 0; n < nr; n++) {
        pcx_add(mine, n, n, kind, kind == XEN_PERFCTR_KIND_RAW ? FLAGS_BOTH : FLAGS_SPLIT);
    }
    pcx_program(mine);
}

static void other(void *nr)
{
    pin_self(0);
    if (nr != NULL) {
        set((unsigned int)(uint64_t)nr, XEN_PERFCTR_KIND_RAW);
    }
    other_runs = true;
    while (!stop_other) {
        turns_of_other++;
        sched_yield();
    }
    pin_self(PIN_NONE);
}

/* TURNS switches away from VCPU 0 and as many back. */
static void switches(void)
{
    uint64_t from = turns_of_other;

    while (turns_of_other - from < TURNS) {
        sched_yield();
    }
}

static bool begin_other(uint64_t nr_slots)
{
    stop_other = other_runs = false;
    pin_self(0);
    if (!vcpu_start(1, other, (void *)nr_slots)) {
        error("VCPU 1 does not start");
        return false;
    }
    while (!other_runs) {
        sched_yield();
    }
    return true;
}

static void end_other(void)
{
    stop_other = true;
    if (!vcpu_join(1, 1000000000)) {
        error("VCPU 1 does not end");
    }
    pin_self(PIN_NONE);
}

static void one_vcpu(void)
{
    unsigned int n;

    MARKER_START(0);
    mode_changes();
    MARKER_STOP(0);
    check_eq(pcx_register(0), 0, "register");
    MARKER_START(1);
    mode_changes();
    MARKER_STOP(1);
    set(1, XEN_PERFCTR_KIND_OFFSET);
    MARKER_START(2);
    mode_changes();
    MARKER_STOP(2);
    set(6, XEN_PERFCTR_KIND_OFFSET);
    MARKER_START(3);
    mode_changes();
    MARKER_STOP(3);
    set(6, XEN_PERFCTR_KIND_RAW);
    MARKER_START(4);
    mode_changes();
    MARKER_STOP(4);
    MARKER_START(5);
    idle_between();
    MARKER_STOP(5);
    pcx_pages[0].control.rdpmc = 1;
    user_run(nothing, 0, 0);
    MARKER_START(6);
    mode_changes();
    MARKER_STOP(6);
    MARKER_START(7);
    for (n = 0; n < TURNS; n++) {
        pcx_pages[0].control.rdpmc = n % 2 != 0;
        user_run(nothing, 0, 0);
    }
    MARKER_STOP(7);
    pcx_pages[0].control.rdpmc = 0;
    user_run(nothing, 0, 0);
    check_eq(pcx_unregister(0), 0, "unregister");
}

static void two_vcpus(void)
{
    if (begin_other(0)) {
        MARKER_START(8);
        switches();
        MARKER_STOP(8);
        check_eq(pcx_register(0), 0, "register VCPU 0");
        set(3, XEN_PERFCTR_KIND_RAW);
        MARKER_START(9);
        switches();
        MARKER_STOP(9);
        end_other();
    }
    check_eq(pcx_register(1), 0, "register VCPU 1");
    if (begin_other(3)) {
        MARKER_START(10);
        switches();
        MARKER_STOP(10);
        end_other();
    }
    check_eq(pcx_unregister(0), 0, "unregister VCPU 0");
    check_eq(pcx_unregister(1), 0, "unregister VCPU 1");
}

void test_main(void)
{
    pcx_need_ready();
    property("the work whose cost is counted");
    one_vcpu();
    two_vcpus();
}
