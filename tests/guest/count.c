/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: instructions are counted exactly, by mode, in every slot and on every PMC.
 * With the word `wrap` Xen starts SPLIT counters close below their wrap, and none wrapping is an
 * error.
 * Ground truth: the instructions of lib/trip.S, added up there (TRIP_*, STAGE_KERNEL in lib/pcx.h).
 */
#include "pcx.h"

#define MAX_PMC 6
#define MAX_STAGES XEN_PERFCTR_MAX_SLOTS

static struct xen_perfctr_program programs[MAX_STAGES];
static unsigned int nr_pmc, nr_slots;

static bool trip_ok(const struct trip *t, const char *what)
{
    if (t->program_rc == 0 && t->sync_rc == 0) {
        return true;
    }
    check(false, "%s: program %ld, sync %ld", what, t->program_rc, t->sync_rc);
    return false;
}

static void check_slot(const struct trip *t, unsigned int slot, unsigned int pmc, bool raw)
{
    struct pcx_value v = pcx_value(0, slot);
    uint64_t user = TRIP_USER(t), kernel = TRIP_KERNEL(t);

    if (raw) {
        check_eq(v.user, user + kernel, "RAW slot %u PMC %u: user and kernel", slot, pmc);
        check_eq(v.kernel, 0, "RAW slot %u PMC %u: sum_kernel", slot, pmc);
    } else {
        check_eq(v.user, user, "SPLIT slot %u PMC %u: user", slot, pmc);
        check_eq(v.kernel, kernel, "SPLIT slot %u PMC %u: kernel", slot, pmc);
    }
    check((v.flags & XEN_PERFCTR_LIVE) != 0 && !(v.flags & XEN_PERFCTR_RAW) == !raw,
          "slot %u PMC %u: state", slot, pmc);
}

static void one_slot(unsigned int slot, unsigned int pmc, bool raw)
{
    struct xen_perfctr_program p = {0};
    struct trip t;

    pcx_cookie++;
    pcx_add(&p, slot, pmc, raw ? XEN_PERFCTR_KIND_RAW : XEN_PERFCTR_KIND_OFFSET,
            raw ? FLAGS_BOTH : FLAGS_SPLIT);
    trip_init(&t, &p, 3 + slot, 10 + pmc, 100 + slot);
    trip_do(&t);
    if (trip_ok(&t, raw ? "one RAW slot" : "one SPLIT slot")) {
        check_slot(&t, slot, pmc, raw);
    }
}

static bool mixed_raw(unsigned int n)
{
    return n % 2 != 0;
}

static void wrap(void)
{
    struct xen_perfctr_program p = {0};
    struct trip t;
    uint64_t start;

    pcx_cookie++;
    pcx_add(&p, 0, 0, XEN_PERFCTR_KIND_OFFSET, FLAGS_SPLIT);
    check_eq(pcx_program(&p), 0, "program");
    start = pcx_start(0, 0);
    p.bad = 0;
    trip_init(&t, &p, 10, 100, 100);
    trip_do(&t);
    if (trip_ok(&t, "wrap")) {
        check_eq(pcx_value(0, 0).user, TRIP_USER(&t), "user over a wrap");
    }
    if (pcx_start(0, 0) >= start) {
        error("no wrap: register from %lx to %lx", start, pcx_start(0, 0));
    }
}

static void all_slots(uint64_t trips, uint64_t nr_kernel, uint64_t nr_user, unsigned int turn)
{
    struct xen_perfctr_program p = {0};
    struct trip t;
    unsigned int n, nr = nr_pmc < nr_slots ? nr_pmc : nr_slots;

    pcx_cookie++;
    for (n = 0; n < nr; n++) {
        pcx_add(&p, n, (n + turn) % nr_pmc,
                mixed_raw(n) ? XEN_PERFCTR_KIND_RAW : XEN_PERFCTR_KIND_OFFSET,
                mixed_raw(n) ? FLAGS_BOTH : FLAGS_SPLIT);
    }
    trip_init(&t, &p, trips, nr_kernel, nr_user);
    trip_do(&t);
    if (trip_ok(&t, "all slots")) {
        for (n = 0; n < nr; n++) {
            check_slot(&t, n, (n + turn) % nr_pmc, mixed_raw(n));
        }
    }
}

/* Slot after slot joins: each has another value, so no PMC can stand in for another. */
static void stages(bool raw, unsigned int turn)
{
    const struct xen_perfctr_program *sets[MAX_STAGES] = {NULL};
    unsigned int n, m, nr = nr_pmc < nr_slots ? nr_pmc : nr_slots;
    const uint64_t turns = 50;

    pcx_cookie++;
    for (n = 0; n < nr; n++) {
        sets[n] = &programs[n];
        memset(&programs[n], 0, sizeof(programs[n]));
        for (m = 0; m <= n; m++) {
            pcx_add(&programs[n], m, (2 * nr_pmc - 1 - m + turn) % nr_pmc,
                    raw ? XEN_PERFCTR_KIND_RAW : XEN_PERFCTR_KIND_OFFSET,
                    raw ? FLAGS_BOTH : FLAGS_SPLIT);
        }
    }
    check_eq(stage_run(sets, nr, turns), 0, "stages end with sync");
    for (n = 0; n < nr; n++) {
        struct pcx_value v = pcx_value(0, n);

        check_eq(raw ? v.user : v.kernel, STAGE_KERNEL(nr, n, turns),
                 "%s slot %u from stage %u on: unchanged slots go on", raw ? "RAW" : "SPLIT", n, n);
        check_eq(raw ? v.kernel : v.user, 0, "%s slot %u: nothing in user mode",
                 raw ? "RAW" : "SPLIT", n);
    }
}

/* A program call that drops a slot frees it; one that changes its cookie restarts it. */
static void drop_and_restart(void)
{
    const struct xen_perfctr_program *sets[2] = {&programs[0], &programs[1]};
    struct pcx_value v;

    pcx_cookie++;
    memset(programs, 0, 2 * sizeof(programs[0]));
    pcx_add(&programs[0], 0, 0, XEN_PERFCTR_KIND_OFFSET, FLAGS_SPLIT);
    pcx_add(&programs[0], 1, 1, XEN_PERFCTR_KIND_OFFSET, FLAGS_SPLIT);
    pcx_add(&programs[1], 0, 0, XEN_PERFCTR_KIND_OFFSET, FLAGS_SPLIT);
    programs[1].slot[0].cookie++;
    check_eq(stage_run(sets, 2, 20), 0, "restart ends with sync");
    check_eq(pcx_value(0, 0).kernel, STAGE_KERNEL(2, 1, 20), "another cookie starts at V = 0");
    v = pcx_value(0, 1);
    check(v.flags == 0 && v.kernel == 0 && v.user == 0, "a slot not named is free and zero");
    programs[0].nr = 0;
    check_eq(pcx_program(&programs[0]), 0, "an empty set");
    v = pcx_value(0, 0);
    check(v.flags == 0 && v.kernel == 0, "an empty set frees all");
}

void test_main(void)
{
    const struct xen_perfctr_query *q = pcx_need_ready();
    bool has_raw = (q->features & XEN_PERFCTR_FEATURE_RAW) != 0;
    unsigned int slot, pmc;

    nr_pmc = q->classes[XEN_PERFCTR_CLASS_CORE].nr_pmc;
    nr_slots = q->nr_slots;
    property("counters and slots");
    check(nr_pmc >= 4 && nr_slots >= nr_pmc, "%u PMCs, %u slots", nr_pmc, nr_slots);
    check_eq(pcx_register(0), 0, "register");
    property("one slot alone is exact, every slot on every PMC");
    for (slot = 0; slot < nr_slots; slot++) {
        for (pmc = 0; pmc < nr_pmc; pmc++) {
            one_slot(slot, pmc, false);
            if (has_raw && slot < nr_pmc) {
                one_slot(slot, pmc, true);
            }
        }
    }
    if (!has_raw) {
        skip("RAW slots", "no such feature");
    }
    property("all slots together are exact, and unchanged slots go on");
    for (slot = 0; slot < nr_pmc; slot++) {
        all_slots(5 + slot, 30, 40, slot);
        stages(false, slot);
        stages(true, slot);
    }
    if (has_word("wrap")) {
        property("a counter that wraps");
        wrap();
    }
    property("long loops and many mode changes");
    all_slots(1, 1, 1000000, 0);
    all_slots(1, 1000000, 1, 0);
    all_slots(2000, 1, 1, 0);
    property("dropped slots are free, changed ones start again");
    drop_and_restart();
    check_eq(pcx_unregister(0), 0, "unregister");
}
