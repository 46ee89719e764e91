/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: counts stay exact while a pcpu goes offline and comes back.
 * Ground truth: the instructions of lib/trip.S; Xen's answer that the pcpu went and came, and
 * CPUID for who ran on it. Not seen here: stale counters, because INIT resets them in this machine.
 */
#include "pcx.h"

#define HC_PLATFORM_OP 7
#define XENPF_INTERFACE_VERSION 0x03000001
#define XENPF_CPU_ONLINE 56
#define XENPF_CPU_OFFLINE 57
#define NR_CYCLES 5
#define TRIPS 4000

static volatile uint64_t progress[2];
static struct xen_perfctr_program program;
static struct trip trip;
static unsigned int nr_pmc;

static long set_pcpu(uint32_t cmd, uint32_t pcpu)
{
    struct {
        uint32_t cmd, interface_version;
        uint32_t pcpu, pad[33];
    } op = {cmd, XENPF_INTERFACE_VERSION, pcpu, {0}};

    return hypercall2(HC_PLATFORM_OP, (uint64_t)&op, 0);
}

static void run(void *unused)
{
    (void)unused;
    trip_do(&trip);
}

static void prepare(void)
{
    unsigned int n;

    pcx_cookie++;
    memset(&program, 0, sizeof(program));
    for (n = 0; n < nr_pmc; n++) {
        bool raw = n % 2 != 0;

        pcx_add(&program, n, n, raw ? XEN_PERFCTR_KIND_RAW : XEN_PERFCTR_KIND_OFFSET,
                raw ? FLAGS_BOTH : FLAGS_SPLIT);
    }
    trip_init(&trip, &program, TRIPS, 20, 500);
    trip.user_rsp = vcpus[1].user_rsp;
    trip.own_progress = &progress[1];
    trip.other_progress = &progress[0];
    trip.hypercall = HC_sched_op;
    trip.arg1 = SCHEDOP_YIELD;
}

static unsigned int own_moves;

/* Both VCPUs run, so that the scheduler spreads them over the pcpus there are. */
static void live_on(void)
{
    static unsigned int last;
    uint64_t until = progress[1] + 200;
    unsigned int now;

    while (progress[1] < until && !vcpus[1].job_done) {
        progress[0]++;
    }
    now = apic_id();
    own_moves += now != last;
    last = now;
}

static bool cycle_pcpu(void)
{
    unsigned int tries;

    live_on();
    for (tries = 0; set_pcpu(XENPF_CPU_OFFLINE, 1) != 0; tries++) {
        if (tries == 10000 || vcpus[1].job_done) {
            return false;
        }
        progress[0]++;
        sched_yield();
    }
    live_on();
    for (tries = 0; set_pcpu(XENPF_CPU_ONLINE, 1) != 0; tries++) {
        if (tries == 10000) {
            return false;
        }
        sched_yield();
    }
    return true;
}

static void count_meanwhile(void)
{
    unsigned int n, cycles = 0;

    prepare();
    if (!vcpu_start(1, run, NULL)) {
        error("VCPU 1 does not start");
        return;
    }
    while (cycles < NR_CYCLES && cycle_pcpu()) {
        cycles++;
    }
    if (!vcpu_join(1, 20000000000)) {
        error("VCPU 1 does not end");
        return;
    }
    if (cycles < NR_CYCLES || trip.moves + own_moves < NR_CYCLES) {
        error("pcpu 1 went and came %u times, the VCPUs moved %lu times", cycles,
              trip.moves + own_moves);
    }
    check(trip.program_rc == 0 && trip.sync_rc == 0, "program, sync");
    for (n = 0; n < nr_pmc; n++) {
        struct pcx_value v = pcx_value(1, n);
        bool raw = n % 2 != 0;

        check_eq(v.user, TRIP_USER(&trip) + (raw ? TRIP_KERNEL(&trip) : 0), "slot %u: user", n);
        check_eq(v.kernel, raw ? 0 : TRIP_KERNEL(&trip), "slot %u: kernel", n);
    }
}

void test_main(void)
{
    const struct xen_perfctr_query *q = pcx_need_ready();

    nr_pmc = q->classes[XEN_PERFCTR_CLASS_CORE].nr_pmc;
    if (!vcpu_exists(1) || pin_self(1) != 0) {
        error("needs two VCPUs and two pcpus");
        return;
    }
    pin_self(PIN_NONE);
    property("exact while a pcpu goes and comes");
    check_eq(pcx_register(0), 0, "register VCPU 0");
    check_eq(pcx_register(1), 0, "register VCPU 1");
    count_meanwhile();
    check_eq(pcx_unregister(0), 0, "unregister VCPU 0");
    check_eq(pcx_unregister(1), 0, "unregister VCPU 1");
}
