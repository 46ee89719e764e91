/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: a guest that scribbles over its pages, gives their frames away or calls with garbage
 * harms only itself: Xen survives, private sums stay right, and the interface works afterwards.
 * Ground truth: user-mode instructions of lib/trip.S; a Xen that is hurt panics, or says so in
 * its log, which hostile.test reads.
 */
#include "pcx.h"

#define TRIPS 2000
#define GARBAGE_CALLS 20000

static volatile bool stop_other, other_runs;
static uint8_t spare_page[PAGE_BYTES] PAGE_ALIGNED;

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* The page's own header cannot be trusted here. */
static uint64_t sum_user(unsigned int vcpu, unsigned int slot)
{
    return pcx_pages[vcpu].counter.slot[slot].sum_user;
}

static void scribble(void *arg)
{
    uint64_t random = 88172645463325252, n;

    pin_self((int32_t)(uint64_t)arg);
    other_runs = true;
    while (!stop_other) {
        volatile uint64_t *words = (volatile uint64_t *)&pcx_pages[0];

        for (n = 0; n < sizeof(pcx_pages[0]) / 8; n++) {
            words[n] = next_random(&random);
        }
    }
    pin_self(PIN_NONE);
}

static bool start_other(void (*fn)(void *), uint64_t arg)
{
    stop_other = other_runs = false;
    if (!vcpu_start(1, fn, (void *)arg)) {
        error("VCPU 1 does not start");
        return false;
    }
    while (!other_runs) {
        sched_yield();
    }
    return true;
}

static void stop(void)
{
    stop_other = true;
    if (!vcpu_join(1, 10000000000)) {
        error("VCPU 1 does not end");
    }
}

static void two_slots(struct xen_perfctr_program *p)
{
    pcx_cookie++;
    memset(p, 0, sizeof(*p));
    pcx_add(p, 0, 0, XEN_PERFCTR_KIND_OFFSET, FLAGS_SPLIT);
    pcx_add(p, 1, 1, XEN_PERFCTR_KIND_RAW, FLAGS_BOTH);
}

/* Another VCPU overwrites all pages of this one at any moment, control.rdpmc included. */
static void scribbled_pages(int32_t pcpu)
{
    struct xen_perfctr_program p;
    struct trip t;
    uint64_t before, after;

    check_eq(pcx_register(0), 0, "register");
    if (!start_other(scribble, (uint64_t)pcpu)) {
        return;
    }
    two_slots(&p);
    trip_init(&t, &p, TRIPS, 5, 50);
    t.hypercall = HC_sched_op;
    trip_do(&t);
    stop();
    check(t.program_rc == 0 && t.sync_rc == 0, "scribbled pages: program, sync");
    check_eq(pcx_sync(), 0, "scribbled pages: sync when it is over");
    check_eq(sum_user(0, 0), TRIP_USER(&t), "scribbled pages: the sum is Xen's own");
    before = sum_user(0, 1);
    pcx_sync();
    after = sum_user(0, 1);
    check(after > before && after < before + 10000, "scribbled pages: RAW goes on from %lu to %lu",
          before, after);
    check_eq(pcx_unregister(0), 0, "unregister");
}

static void use_all(void *arg)
{
    static struct xen_perfctr_program p;

    pin_self((int32_t)(uint64_t)arg);
    two_slots(&p);
    other_runs = true;
    while (!stop_other) {
        p.slot[0].cookie++;
        pcx_program(&p);
        pcx_sync();
        p.slot[1].pmc = (uint16_t)(p.slot[1].pmc % 5 + 1);
        sched_yield();
    }
    pin_self(PIN_NONE);
}

/* A VCPU's registration goes and comes while the VCPU counts; from outside and by itself. */
static void register_in_use(void)
{
    struct xen_perfctr_program p;
    unsigned int n, busy = 0, own = 0;

    two_slots(&p);
    check_eq(pcx_register(1), 0, "register VCPU 1");
    if (!start_other(use_all, 0)) {
        return;
    }
    for (n = 0; n < 500; n++) {
        busy += pcx_unregister(1) == -X_EBUSY;
        busy += pcx_register(1) == -X_EBUSY;
        own += pcx_register(0) == 0;
        own += pcx_program(&p) == 0;
        own += pcx_sync() == 0;
        own += pcx_unregister(0) == 0;
    }
    stop();
    check_eq(busy, 1000, "register and unregister of a VCPU in use");
    check_eq(own, 2000, "register, program, sync, unregister in a loop");
    check_eq(pcx_unregister(1), 0, "unregister VCPU 1");
}

static void shared_frames(void)
{
    struct xen_perfctr_register arg;
    struct xen_perfctr_program p;
    long rc;

    check_eq(pcx_register(0), 0, "register VCPU 0");
    pcx_register_arg(&arg, 0);
    arg.vcpu = 1;
    rc = pcx_op(XEN_PERFCTR_OP_register, &arg);
    print("# frames of VCPU 0 for VCPU 1 too: %ld\n", rc);
    two_slots(&p);
    check_eq(pcx_program(&p), 0, "program with frames shared");
    if (rc == 0) {
        start_other(use_all, 0);
        pcx_sync();
        stop();
        check_eq(pcx_unregister(1), 0, "unregister VCPU 1");
    }
    check_eq(pcx_sync(), 0, "sync");
    check_eq(pcx_unregister(0), 0, "unregister VCPU 0");
}

/* The guest gives a registered frame back to Xen: Xen's reference must keep it until unregister. */
static void ballooned_frames(void)
{
    uint64_t mfn = mfn_of(spare_page), pfn = ((uint64_t)spare_page - VIRT_BASE) / PAGE_BYTES;
    struct memory_reservation r = {(uint64_t)&mfn, 1, 0, 0, DOMID_SELF, {0}};
    struct xen_perfctr_register arg;
    struct xen_perfctr_program p;
    struct trip t;

    pcx_register_arg(&arg, 0);
    arg.counter_gfn = mfn;
    check_eq(pcx_op(XEN_PERFCTR_OP_register, &arg), 0, "register a page to be ballooned");
    map_page(spare_page, 0, 0);
    print("# decrease_reservation of a registered frame: %ld\n",
          hypercall2(HC_memory_op, XENMEM_DECREASE_RESERVATION, (uint64_t)&r));
    two_slots(&p);
    trip_init(&t, &p, 100, 5, 5);
    trip_do(&t);
    check(t.program_rc == 0 && t.sync_rc == 0, "counting goes on with the frame given away");
    check_eq(pcx_unregister(0), 0, "unregister");
    r.extent_start = (uint64_t)&pfn;
    check_eq(hypercall2(HC_memory_op, XENMEM_POPULATE_PHYSMAP, (uint64_t)&r), 1, "take a frame");
    ((uint64_t *)start_info->mfn_list)[((uint64_t)spare_page - VIRT_BASE) / PAGE_BYTES] = pfn;
    check_eq(map_page(spare_page, pfn, PTE_RW), 0, "map it");
}

/* The argument lies in the page that Xen writes while it reads. */
static void argument_in_own_page(void)
{
    volatile struct pcx_pages *pages = &pcx_pages[0];
    struct xen_perfctr_program p;

    check_eq(pcx_register(0), 0, "register");
    two_slots(&p);
    memcpy((void *)pages->ring[0], &p, sizeof(p));
    check_eq(pcx_op(XEN_PERFCTR_OP_program, pages->ring[0]), 0, "program from a ring page");
    memcpy((void *)&pages->counter.slot[4], &p, sizeof(p));
    print("# program from the counter page: %ld\n",
          pcx_op(XEN_PERFCTR_OP_program, &pages->counter.slot[4]));
    print("# query into the counter page: %ld\n", pcx_op(XEN_PERFCTR_OP_query, &pages->counter));
    check_eq(pcx_sync(), 0, "sync");
    check_eq(pcx_unregister(0), 0, "unregister");
}

static void garbage_calls(uint64_t seed)
{
    /* One buffer for both VCPUs: it changes under Xen's eyes. */
    static uint64_t arg[sizeof(struct xen_perfctr_program) / 8 + 1];
    struct xen_perfctr_register reg;
    struct xen_perfctr_program good;
    static const unsigned int ops[] = {0, 1, 2, 3, 4, 4, 4, 5, 6, 16, 17, 18};
    unsigned int n, word, op;

    for (n = 0; n < GARBAGE_CALLS; n++) {
        for (word = 0; word < 24; word++) {
            uint64_t value = next_random(&seed);

            /* Mostly small numbers, frames of ours and flags: what a validator lets through. */
            arg[word] = value >> (value % 64);
            if (value % 5 == 0) {
                arg[word] = mfn_of(&pcx_pages[0]) + value % 64;
            }
        }
        if (n % 2 != 0) {
            two_slots(&good);
            memcpy(arg, &good, sizeof(good));
            arg[next_random(&seed) % 20] ^= 1ull << next_random(&seed) % 64;
        }
        op = ops[next_random(&seed) % ARRAY_LEN(ops)];
        if (op == XEN_PERFCTR_OP_register) {
            /* Flips that cannot name a frame of the guest's code or data. */
            pcx_register_arg(&reg, (unsigned int)(seed % 2));
            ((uint64_t *)&reg)[seed % 20] ^= 1ull << (20 + next_random(&seed) % 44);
            pcx_op(op, &reg);
        } else {
            pcx_op(op, op == XEN_PERFCTR_OP_sync ? NULL : arg);
        }
        if (n % 64 == 0) {
            sched_yield();
        }
    }
}

static void garbage(void *arg)
{
    other_runs = true;
    garbage_calls((uint64_t)arg);
}

static void works_afterwards(void)
{
    struct xen_perfctr_program p;
    struct trip t;

    pcx_unregister(0);
    check_eq(pcx_register(0), 0, "afterwards: register");
    two_slots(&p);
    trip_init(&t, &p, 10, 20, 30);
    trip_do(&t);
    check_eq(pcx_value(0, 0).user, TRIP_USER(&t), "afterwards: user");
    check_eq(pcx_value(0, 0).kernel, TRIP_KERNEL(&t), "afterwards: kernel");
    check_eq(pcx_value(0, 1).user, TRIP_USER(&t) + TRIP_KERNEL(&t), "afterwards: RAW");
    check_eq(pcx_unregister(0), 0, "afterwards: unregister");
}

void test_main(void)
{
    pcx_need_ready();
    if (!vcpu_exists(1)) {
        error("needs two VCPUs");
        return;
    }
    property("pages scribbled over by another VCPU");
    scribbled_pages(PIN_NONE);
    pin_self(0);
    scribbled_pages(0);
    pin_self(PIN_NONE);
    property("register and unregister in use");
    register_in_use();
    property("the same frames for two VCPUs");
    shared_frames();
    property("a registered frame is given back to Xen");
    ballooned_frames();
    property("arguments in Xen's own pages");
    argument_in_own_page();
    property("garbage calls from two VCPUs, and all works afterwards");
    if (start_other(garbage, 1234567)) {
        garbage_calls(7654321);
        stop();
    }
    pcx_unregister(1);
    works_afterwards();
}
