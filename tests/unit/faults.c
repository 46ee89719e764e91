/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: whichever single port call fails, the core says so, leaves nothing behind, and keeps
 * other domains' counters unreadable; a failed register registers nothing, a failed program frees
 * every slot.
 * Ground truth: the same fixed schedule with the 1st, 2nd, ... fallible call made to fail, until
 * none does; memory and frames are counted by the fake machine.
 */
#include <stdio.h>
#include <string.h>

#include "world.h"

static uint64_t wrong;
static uint32_t pmc_class; /* one with at least 5 counters */

static void expect(bool ok, const char *what, uint64_t nth)
{
    if (!ok) {
        printf("# failing call %u: %s\n", (unsigned)nth, what);
        wrong++;
    }
}

static void set_make(struct xen_perfctr_program *arg, uint32_t nr, uint64_t cookie)
{
    uint32_t i;

    memset(arg, 0, sizeof(*arg));
    arg->nr = nr;
    for (i = 0; i < nr; i++) {
        struct xen_perfctr_slot *s = &arg->slot[i];

        s->slot = (uint16_t)i;
        s->pmc_class = (uint16_t)pmc_class;
        s->pmc = (uint16_t)(nr - 1 - i);
        s->kind = i % 2 != 0 ? XEN_PERFCTR_KIND_RAW : XEN_PERFCTR_KIND_OFFSET;
        s->flags = XEN_PERFCTR_SLOT_USER | XEN_PERFCTR_SLOT_KERNEL | XEN_PERFCTR_SLOT_CREDIT |
                   (i % 2 != 0 ? 0 : XEN_PERFCTR_SLOT_SPLIT);
        s->evtsel = world_events[i % 2];
        s->cookie = cookie;
    }
}

static bool all_free(const struct world_vcpu *v)
{
    uint32_t i;

    for (i = 0; i < XEN_PERFCTR_MAX_SLOTS; i++) {
        if (v->core->page->slot[i].flags != 0) {
            return false;
        }
    }
    return v->core->live_mask == 0;
}

/* One program call; true: loaded. */
static bool program_step(uint32_t pcpu, uint32_t nr, uint64_t cookie, uint64_t nth)
{
    struct xen_perfctr_program arg;
    int ret;

    set_make(&arg, nr, cookie);
    ret = world_program(pcpu, &arg);
    if (ret != 0) {
        expect(ret == -PCX_EIO, "program fails with EIO", nth);
        expect(all_free(world_current[pcpu]), "a failed program frees every slot", nth);
    }
    return ret == 0;
}

static void register_step(struct world_vcpu *v, uint64_t nth)
{
    int64_t memory = fake_nr_memory;
    uint64_t failed = fake_failed;
    int ret = world_register(v);

    if (ret != 0) {
        expect(ret == -PCX_ENOMEM && failed != fake_failed, "register fails with ENOMEM", nth);
        expect(v->core == NULL && fake_nr_memory == memory, "a failed register leaves nothing",
               nth);
        expect(world_register(v) == 0, "register works the second time", nth);
    }
}

/* Two domains on one pcpu, then the first on another one. */
static void schedule(uint64_t nth)
{
    struct world_vcpu *a = &world_vcpus[0], *b = &world_vcpus[4];
    uint32_t turn;

    world_switch(0, a);
    register_step(a, nth);
    world_rdpmc_ask(a, 1);
    (void)program_step(0, 4, 1, nth);
    world_run(0, 0, 100);
    world_toggle(0);
    world_run(0, 1, 100);
    world_switch(0, b);
    register_step(b, nth);
    world_rdpmc_ask(b, 1);
    for (turn = 0; turn < 3; turn++) {
        (void)program_step(0, 3, turn, nth);
        world_toggle(0);
        world_run(0, 0, 70);
        world_credit(0);
        world_toggle(0);
        world_switch(0, a);
        world_run(0, 0, 10);
        world_toggle(0);
        world_credit(0);
        (void)program_step(0, 5, turn, nth);
        world_toggle(0);
        world_switch(0, b);
    }
    world_switch(0, NULL);
    world_switch(1, a);
    world_toggle(1);
    world_register(a);
    world_unregister(a);
    world_switch(0, b);
    world_unregister(b);
    world_switch(0, &world_vcpus[7]);
    world_pcpu_restart(2);
}

/* A pcpu that could not be cleared in full keeps RDPMC closed, whatever is asked. */
static void unready_check(void)
{
    world_init(false);
    fake_pcpus[1].core.started = false;
    fake_failed = 1;
    world_switch(1, &world_vcpus[0]);
    register_step(&world_vcpus[0], 0);
    world_rdpmc_ask(&world_vcpus[0], 1);
    world_toggle(1);
    expect(!fake_pcpus[1].gate, "RDPMC is open on a pcpu that is not clear", 0);
    world_toggle(1);
    world_switch(1, NULL);
    world_switch(0, &world_vcpus[0]);
    world_toggle(0);
    expect(fake_pcpus[0].gate, "RDPMC is closed on a pcpu that is", 0);
    world_finish();
}

int main(void)
{
    uint64_t nth, bad;
    int soft;

    unready_check();

    for (soft = 0; soft < 2; soft++) {
        for (nth = 1;; nth++) {
            world_init(soft != 0);
            pmc_class = soft != 0 ? XEN_PERFCTR_CLASS_FIXED : XEN_PERFCTR_CLASS_CORE;
            fake_fail_at = nth;
            schedule(nth);
            bad = world_inexact + world_torn + world_leaks + world_gate_wrong;
            expect(bad == 0, "wrong, torn or readable", nth);
            world_finish();
            expect(fake_nr_memory == 0, "frames or memory are left", nth);
            if (fake_failed == 0 || wrong != 0) {
                break;
            }
        }
        printf("# %u port calls made to fail\n", (unsigned)nth - 1);
        if (nth < 100) {
            printf("error - the schedule has too few calls that can fail\n");
        }
    }
    printf("%s - whichever port call fails\n", wrong == 0 ? "ok" : "not ok");
    return wrong != 0;
}
