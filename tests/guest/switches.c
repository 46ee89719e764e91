/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: counts stay exact while VCPUs share a pcpu and move between pcpus.
 * With the word `wrap` Xen starts SPLIT counters close below their wrap, and none wrapping is an
 * error. With `mttcg` time is the host's: enough trips for a host many times as fast as ours.
 * Ground truth: the instructions of lib/trip.S. That switches and moves happened is seen from
 * inside each trip: two VCPUs pinned to one pcpu cannot run at once, so progress of the other
 * means that it was switched in between; CPUID tells the pcpu. Too few of them is an error.
 */
#include "pcx.h"

#define WANT_SWITCHES 1000
#define WANT_MOVES 100
#define WANT_PREEMPTIONS 10
#define NR_IDLES 50
#define BELOW_WRAP 30000 /* as in switches_wrap.test */

struct runner {
    struct trip trip;
    struct xen_perfctr_program program;
    int32_t pin; /* PIN_NONE: free */
    unsigned int apic;
    volatile bool ready;
};

static struct runner runners[2];
static volatile uint64_t progress[2];
static const int32_t pin_none = PIN_NONE, pin_pcpu[2] = {0, 1};
static unsigned int nr_pmc;

enum {
    YIELD,
    MOVE,
    STAY,
};

/* Half the counters SPLIT and half RAW, `turn` says on which PMC the slots stand. */
static void fill(struct runner *r, unsigned int nr_slots, unsigned int turn)
{
    unsigned int n;

    pcx_cookie++;
    memset(&r->program, 0, sizeof(r->program));
    for (n = 0; n < nr_slots; n++) {
        bool raw = n % 2 != 0;

        pcx_add(&r->program, n, (n + turn) % nr_pmc,
                raw ? XEN_PERFCTR_KIND_RAW : XEN_PERFCTR_KIND_OFFSET,
                raw ? FLAGS_BOTH : FLAGS_SPLIT);
    }
}

static void prepare(unsigned int id, uint64_t trips, unsigned int what)
{
    struct runner *r = &runners[id];
    struct trip *t = &r->trip;

    trip_init(t, &r->program, trips, 20 + 3 * id, 50 + 7 * id);
    t->user_rsp = vcpus[id].user_rsp;
    t->own_progress = &progress[id];
    t->other_progress = &progress[1 - id];
    t->hypercall = HC_sched_op;
    r->ready = false;
    if (what == MOVE) {
        t->arg1 = SCHEDOP_PIN_OVERRIDE;
        t->arg2[3] = (uint64_t)&pin_none;
        t->arg2[2] = (uint64_t)&pin_pcpu[0];
        t->arg2[1] = (uint64_t)&pin_none;
        t->arg2[0] = (uint64_t)&pin_pcpu[1];
    } else if (what == YIELD) {
        t->arg1 = SCHEDOP_YIELD;
    } else {
        t->hypercall = HC_xen_version;
        t->nr_user = 500000 + 7 * id;
    }
}

static void run(void *arg)
{
    struct runner *r = arg;
    const struct runner *other = &runners[r == &runners[0]];

    pin_self(r->pin);
    r->apic = apic_id();
    r->ready = true;
    while (!other->ready) {
        sched_yield();
    }
    trip_do(&r->trip);
    pin_self(PIN_NONE);
}

static void check_runner(const char *what, unsigned int id)
{
    const struct runner *r = &runners[id];
    const struct trip *t = &r->trip;
    unsigned int n, wrong = 0;

    check(t->program_rc == 0 && t->sync_rc == 0, "%s: VCPU %u: program %ld, sync %ld", what, id,
          t->program_rc, t->sync_rc);
    for (n = 0; n < r->program.nr; n++) {
        const struct xen_perfctr_slot *s = &r->program.slot[n];
        struct pcx_value v = pcx_value(id, s->slot);
        bool raw = s->kind == XEN_PERFCTR_KIND_RAW;
        uint64_t user = TRIP_USER(t), kernel = TRIP_KERNEL(t);

        if (v.user != (raw ? user + kernel : user) || v.kernel != (raw ? 0 : kernel)) {
            print("# %s slot %u PMC %u: %ld and %ld, want %ld and %ld\n", raw ? "RAW" : "SPLIT", n,
                  s->pmc, v.user, v.kernel, raw ? user + kernel : user, raw ? 0 : kernel);
            wrong++;
        }
    }
    if (has_word("wrap") && r->program.nr != 0 && TRIP_USER(t) + TRIP_KERNEL(t) > BELOW_WRAP &&
        pcx_start(id, 0) > 1ull << 47) {
        error("%s: VCPU %u: no wrap, register at %lx", what, id, pcx_start(id, 0));
    }
    check_eq(wrong, 0, "%s: VCPU %u: %u slots exact over %lu switches, %lu moves", what, id,
             r->program.nr, t->switches, t->moves);
}

static bool both(const char *what)
{
    if (!vcpu_start(1, run, &runners[1])) {
        error("%s: VCPU 1 does not start", what);
        return false;
    }
    run(&runners[0]);
    if (!vcpu_join(1, 20000000000)) {
        error("%s: VCPU 1 does not end", what);
        return false;
    }
    return true;
}

/* Two VCPUs on pcpu 0, yielding to each other. */
static void share(const char *what, unsigned int slots0, unsigned int slots1, unsigned int turn)
{
    unsigned int id;

    fill(&runners[0], slots0, 0);
    fill(&runners[1], slots1, turn);
    for (id = 0; id < 2; id++) {
        prepare(id, WANT_SWITCHES + WANT_SWITCHES / 2, YIELD);
        runners[id].pin = 0;
    }
    if (!both(what)) {
        return;
    }
    for (id = 0; id < 2; id++) {
        check_runner(what, id);
        if (runners[id].trip.switches < WANT_SWITCHES) {
            error("%s: VCPU %u: only %lu switches", what, id, runners[id].trip.switches);
        }
    }
    if (runners[0].apic != runners[1].apic || runners[0].trip.moves + runners[1].trip.moves != 0) {
        error("%s: the VCPUs did not share a pcpu", what);
    }
}

/* Two VCPUs on pcpu 0 that do not yield: the scheduler takes turns, in the middle of user code. */
static void preempt(const char *what, unsigned int slots0, unsigned int slots1)
{
    unsigned int id;

    fill(&runners[0], slots0, 0);
    fill(&runners[1], slots1, 2);
    for (id = 0; id < 2; id++) {
        prepare(id, has_word("mttcg") ? 1200 : 60, STAY);
        runners[id].pin = 0;
    }
    if (!both(what)) {
        return;
    }
    for (id = 0; id < 2; id++) {
        check_runner(what, id);
        if (runners[id].trip.switches < WANT_PREEMPTIONS) {
            error("%s: VCPU %u: only %lu switches", what, id, runners[id].trip.switches);
        }
    }
}

/* One VCPU alone on its pcpu blocks in each trip: to idle and back. */
static void idle(const char *what)
{
    static struct sched_poll polls[4];
    struct runstate_info before, after;
    struct trip *t = &runners[0].trip;
    unsigned int n, m;

    vcpu_op(VCPUOP_GET_RUNSTATE_INFO, 0, &before);
    for (n = 0; n < NR_IDLES; n++) {
        fill(&runners[0], nr_pmc, n);
        prepare(0, 4, YIELD);
        t->arg1 = SCHEDOP_POLL;
        for (m = 0; m < 4; m++) {
            /* arg2 is picked downwards, modulo 4: 0, 3, 2, 1 */
            polls[m].timeout = now_ns() + 200000 * (1 + (4 - m) % 4);
            t->arg2[m] = (uint64_t)&polls[m];
        }
        trip_do(t);
        check_runner(what, 0);
    }
    vcpu_op(VCPUOP_GET_RUNSTATE_INFO, 0, &after);
    /* time[2]: blocked */
    if (after.time[2] - before.time[2] < NR_IDLES * 4 * 50000) {
        error("%s: blocked for %lu ns only", what, after.time[2] - before.time[2]);
    }
}

/* Both move between the pcpus, out of step. */
static void move(const char *what, unsigned int slots0, unsigned int slots1, unsigned int turn)
{
    unsigned int id;

    fill(&runners[0], slots0, 0);
    fill(&runners[1], slots1, turn);
    for (id = 0; id < 2; id++) {
        prepare(id, 4 * WANT_MOVES + 6 * id, MOVE);
        runners[id].pin = PIN_NONE;
    }
    if (!both(what)) {
        return;
    }
    for (id = 0; id < 2; id++) {
        check_runner(what, id);
        if (runners[id].trip.moves < WANT_MOVES) {
            error("%s: VCPU %u: only %lu moves", what, id, runners[id].trip.moves);
        }
    }
}

void test_main(void)
{
    const struct xen_perfctr_query *q = pcx_need_ready();

    nr_pmc = q->classes[XEN_PERFCTR_CLASS_CORE].nr_pmc;
    if (!vcpu_exists(1)) {
        error("needs two VCPUs");
        return;
    }
    property("exact while two VCPUs share a pcpu");
    check_eq(pcx_register(0), 0, "register VCPU 0");
    check_eq(pcx_register(1), 0, "register VCPU 1");
    share("the same sets", nr_pmc, nr_pmc, 0);
    share("sets on other PMCs", nr_pmc, nr_pmc, 3);
    share("sets that overlap", 4, 3, 2);
    share("one counts nothing", nr_pmc, 0, 0);
    property("exact while the scheduler takes turns");
    preempt("preempted, the same number", nr_pmc, nr_pmc);
    preempt("preempted, one counts nothing", nr_pmc, 0);
    property("exact over idle");
    idle("idle");
    property("exact while two VCPUs move between pcpus");
    if (pin_self(1) != 0) {
        skip("moves", "one pcpu only");
        return;
    }
    move("moving, the same sets", nr_pmc, nr_pmc, 0);
    move("moving, other PMCs", nr_pmc, nr_pmc, 1);
    move("moving, one counts nothing", 3, 0, 0);
    check_eq(pcx_unregister(0), 0, "unregister VCPU 0");
    check_eq(pcx_unregister(1), 0, "unregister VCPU 1");
}
