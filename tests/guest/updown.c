/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: a VCPU that goes down and up keeps its counts; what a sibling does to its registration
 * meanwhile takes effect before it runs again.
 * Ground truth: user-mode instructions of lib/trip.S, added up over all turns.
 */
#include "pcx.h"

#define TURNS 20
#define TIMEOUT_NS 1000000000
/* What the guest may execute between two trips of VCPU 1. */
#define BETWEEN_MAX 100000

static struct xen_perfctr_program program;
static struct trip trip;
static volatile bool rdpmc_works;

static uint64_t nothing(uint64_t unused0, uint64_t unused1)
{
    (void)unused0;
    (void)unused1;
    return 0;
}

/* On VCPU 1; alternates between the pcpus, so it often comes up elsewhere than it went down. */
static void count(void *turn)
{
    uint64_t value;

    pin_self((int32_t)((uint64_t)turn % 2));
    rdpmc_works = rdpmc_safe(1, &value);
    program.bad = 0;
    trip_do(&trip);
    pin_self(PIN_NONE);
}

static bool run_on_1(void (*fn)(void *), uint64_t arg)
{
    if (!vcpu_start(1, fn, (void *)arg) || !vcpu_join(1, TIMEOUT_NS)) {
        error("VCPU 1 did not run");
        return false;
    }
    return true;
}

static void set_up(void)
{
    pcx_cookie++;
    memset(&program, 0, sizeof(program));
    pcx_add(&program, 0, 0, XEN_PERFCTR_KIND_OFFSET, FLAGS_SPLIT);
    pcx_add(&program, 1, 1, XEN_PERFCTR_KIND_RAW, FLAGS_BOTH);
    trip_init(&trip, &program, 10, 20, 300);
    trip.user_rsp = vcpus[1].user_rsp;
}

static void goes_on(void)
{
    uint64_t turn, kernel = 0;

    set_up();
    for (turn = 1; turn <= TURNS; turn++) {
        struct pcx_value split, raw;

        if (!run_on_1(count, turn)) {
            return;
        }
        check(trip.program_rc == 0 && trip.sync_rc == 0, "turn %lu: program, sync", turn);
        split = pcx_value(1, 0);
        raw = pcx_value(1, 1);
        check_eq(split.user, turn * TRIP_USER(&trip), "turn %lu: user", turn);
        check(split.kernel >= kernel + TRIP_KERNEL(&trip) &&
                  split.kernel < kernel + TRIP_KERNEL(&trip) + BETWEEN_MAX,
              "turn %lu: kernel from %lu to %lu", turn, kernel, split.kernel);
        check_eq(split.user + split.kernel, raw.user, "turn %lu: user + kernel = all", turn);
        kernel = split.kernel;
        /* The pcpus of VCPU 1 count for VCPU 0 in between. */
        user_run(nothing, 0, 0);
        pin_self((int32_t)(turn % 2));
    }
}

static void open_rdpmc(void *unused)
{
    uint64_t value;

    (void)unused;
    user_run(nothing, 0, 0);
    rdpmc_works = rdpmc_safe(1, &value);
}

static void look_at_rdpmc(void *unused)
{
    uint64_t value;

    (void)unused;
    rdpmc_works = rdpmc_safe(1, &value);
}

static void changed_while_down(void)
{
    uint64_t seq = pcx_pages[1].counter.seq;

    pcx_pages[1].control.rdpmc = 1;
    if (run_on_1(open_rdpmc, 0)) {
        check(rdpmc_works, "rdpmc is open on VCPU 1");
    }
    if (run_on_1(look_at_rdpmc, 0)) {
        check(rdpmc_works, "and stays open over down and up");
    }
    check_eq(pcx_register(1), 0, "register again while it is down");
    check(pcx_pages[1].counter.seq > seq, "fresh seq");
    check_eq(pcx_value(1, 0).flags, 0, "slots are free");
    if (run_on_1(look_at_rdpmc, 0)) {
        check(!rdpmc_works, "rdpmc is closed by it");
    }
    set_up();
    if (run_on_1(count, 0)) {
        check_eq(pcx_value(1, 0).user, TRIP_USER(&trip), "counts from 0");
        check_eq(pcx_value(1, 0).kernel, TRIP_KERNEL(&trip), "counts from 0");
    }
    pcx_pages[1].control.rdpmc = 1;
    run_on_1(open_rdpmc, 0);
    check(rdpmc_works, "rdpmc is open again");
    check_eq(pcx_unregister(1), 0, "unregister while it is down");
    if (run_on_1(look_at_rdpmc, 0)) {
        check(!rdpmc_works, "rdpmc is closed by it");
    }
    if (run_on_1(count, 1)) {
        check_eq(trip.program_rc, -X_ENOENT, "program: not registered");
    }
}

void test_main(void)
{
    pcx_need_ready();
    if (!vcpu_exists(1)) {
        error("needs two VCPUs");
        return;
    }
    property("down and up keep the counts");
    check_eq(pcx_register(0), 0, "register VCPU 0");
    pcx_add(&program, 0, 1, XEN_PERFCTR_KIND_OFFSET, FLAGS_SPLIT);
    check_eq(pcx_program(&program), 0, "VCPU 0 counts too");
    check_eq(pcx_register(1), 0, "register VCPU 1");
    goes_on();
    property("a sibling's changes to a VCPU that is down");
    changed_while_down();
    check_eq(pcx_unregister(0), 0, "unregister VCPU 0");
}
