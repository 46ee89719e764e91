/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: whatever the order of switches, mode changes, program calls, registrations, pcpus going
 * and domains dying, each slot reads exactly what its VCPU did, in both modes; no page is ever seen
 * torn, also by an interrupt at any port call; who may RDPMC reads nothing of another domain; and
 * RDPMC is open exactly when asked for. With refused MSR writes: exact, or all slots freed.
 * Ground truth: the oracle in world.c, which adds up what each VCPU is made to do.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

static uint64_t state;

static uint64_t rnd(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % below;
}

static void random_slot(struct xen_perfctr_slot *s, uint32_t slot, uint32_t pmc_class, uint32_t pmc)
{
    bool raw = rnd(2) != 0;

    memset(s, 0, sizeof(*s));
    s->slot = (uint16_t)slot;
    s->pmc_class = (uint16_t)pmc_class;
    s->pmc = (uint16_t)pmc;
    s->kind = raw ? XEN_PERFCTR_KIND_RAW : XEN_PERFCTR_KIND_OFFSET;
    s->flags = XEN_PERFCTR_SLOT_USER | XEN_PERFCTR_SLOT_KERNEL |
               (raw ? 0 : XEN_PERFCTR_SLOT_SPLIT) | (rnd(2) != 0 ? XEN_PERFCTR_SLOT_CREDIT : 0);
    s->evtsel = world_events[rnd(WORLD_NR_EVENTS)];
    s->cookie = rnd(3);
}

/* A new set, often with some of the old slots in it, now and then one that is refused. */
static void random_program(uint32_t pcpu)
{
    const struct world_vcpu *v = world_current[pcpu];
    struct xen_perfctr_program arg = {0};
    uint32_t slot = 0, c, pmc;
    bool refused = rnd(8) == 0;
    uint32_t i;
    int want = 0;
    int ret;

    for (c = 0; c < XEN_PERFCTR_MAX_CLASSES; c++) {
        for (pmc = 0; pmc < pcx_host.classes[c].nr_pmc; pmc++, slot++) {
            const struct expect_slot *old = &v->now[slot];
            bool clash = old->live && (old->arg.pmc_class != c || old->arg.pmc != pmc);

            if (rnd(3) == 0) {
                continue;
            }
            random_slot(&arg.slot[arg.nr], slot, c, pmc);
            if (old->live && !clash && rnd(2) != 0) {
                arg.slot[arg.nr] = old->arg;
            }
            arg.nr++;
        }
    }
    /* Slots and counters need not go together. */
    if (arg.nr > 1 && rnd(4) == 0) {
        uint16_t swap = arg.slot[0].slot;

        arg.slot[0].slot = arg.slot[1].slot;
        arg.slot[1].slot = swap;
    }
    if (refused && arg.nr > 0) {
        arg.slot[rnd(arg.nr)].pad = 1;
    }
    for (i = 0; i < arg.nr && want == 0; i++) {
        want = arg.slot[i].pad != 0 ? -PCX_EINVAL : world_permission(v->domain, &arg.slot[i]);
    }
    ret = world_program(pcpu, &arg);
    if (ret != want && fake_failed == 0) {
        printf("not ok - program returns %d, not %d\n", ret, want);
        exit(1);
    }
}

static struct world_vcpu *random_idle_vcpu(void)
{
    struct world_vcpu *v = &world_vcpus[rnd(WORLD_NR_VCPUS)];

    return v->pcpu < 0 ? v : NULL;
}

/* Mostly little, now and then far enough for a register to wrap; never round twice unseen. */
static uint64_t random_amount(void)
{
    return rnd(16) == 0 ? rnd(1ull << 38) : rnd(2000);
}

static void step_registered(uint32_t pcpu, struct world_vcpu *v)
{
    switch (rnd(5)) {
    case 0:
        world_credit(pcpu);
        break;
    case 1:
        world_rdpmc_ask(v, (uint8_t)rnd(3));
        break;
    case 2:
        if (v->mode == XEN_PERFCTR_MODE_KERNEL) {
            world_sync(pcpu);
        }
        break;
    case 3:
        if (rnd(4) == 0 && v->mode == XEN_PERFCTR_MODE_KERNEL) {
            world_unregister(v);
        }
        break;
    default:
        if (v->mode == XEN_PERFCTR_MODE_KERNEL) {
            random_program(pcpu);
        }
        break;
    }
}

/* Mostly permissive. The caller is in kernel mode: it makes a hypercall. */
static void random_policy(uint32_t pcpu)
{
    const struct pcx_policy policy = {
        rnd(4) == 0 ? XEN_PERFCTR_LEVEL_OFF : XEN_PERFCTR_LEVEL_COUNT,
        rnd(3) == 0 ? XEN_PERFCTR_ALLOW_ARCH : XEN_PERFCTR_ALLOW_ALL,
    };
    struct world_vcpu *v = world_current[pcpu];
    struct world_domain *domain = &world_domains[rnd(WORLD_NR_DOMAINS)];
    bool self = v != NULL && v->domain == domain && v->mode == XEN_PERFCTR_MODE_KERNEL;

    world_policy_set(domain, policy, self ? v : NULL);
}

static void step_rare(uint32_t pcpu)
{
    struct world_vcpu *v = random_idle_vcpu();

    switch (rnd(7)) {
    case 6:
        random_policy(pcpu);
        break;
    case 0:
        if (world_current[pcpu] == NULL) {
            world_pcpu_restart(pcpu);
        }
        break;
    case 1:
        world_domain_replace(&world_domains[rnd(WORLD_NR_DOMAINS)]);
        break;
    case 2:
        if (v != NULL && v->core != NULL) {
            world_unregister(v);
        }
        break;
    case 3:
        if (v != NULL && !v->domain->hvm) {
            (void)world_register(v);
        }
        break;
    case 4:
        if (v != NULL) {
            v->mode = !v->mode; /* VCPUOP_initialise, or the failsafe callback */
        }
        break;
    default:
        world_fold(pcpu);
        break;
    }
}

static void step(void)
{
    uint32_t pcpu = (uint32_t)rnd(FAKE_NR_PCPUS);
    struct world_vcpu *v = world_current[pcpu];
    uint64_t kind = rnd(16);

    if (v == NULL || kind == 0) {
        struct world_vcpu *next = rnd(5) == 0 ? NULL : random_idle_vcpu();

        world_switch(pcpu, next);
    } else if (kind < 6) {
        world_run(pcpu, (uint32_t)rnd(WORLD_NR_EVENTS), random_amount());
    } else if (kind < 10) {
        world_toggle(pcpu);
    } else if (kind == 10) {
        step_rare(pcpu);
    } else if (v->core != NULL) {
        step_registered(pcpu, v);
    } else if (!v->domain->hvm && v->mode == XEN_PERFCTR_MODE_KERNEL) {
        (void)world_register(v);
    }
}

static void schedule(uint64_t seed, bool soft, uint32_t steps, bool faults)
{
    uint32_t i;

    state = seed * 0x9e3779b97f4a7c15ull | 1;
    world_init(soft);
    pcx_host.offset_start = rnd(2) != 0 ? ~rnd(5000) : 0;
    for (i = 0; i < steps; i++) {
        if (faults && fake_fail_at == 0 && rnd(20) == 0) {
            fake_fail_at = 1 + rnd(30);
            fake_fail_more = rnd(3);
        }
        step();
        if (world_inexact + world_torn + world_leaks + world_gate_wrong != 0) {
            printf("# seed %u, %s PMU, step %u%s\n", (unsigned)seed, soft ? "soft" : "AMD", i,
                   faults ? ", with refused writes" : "");
            return;
        }
    }
    fake_fail_at = 0;
    fake_fail_more = 0;
    world_finish();
    if (fake_nr_memory != 0) {
        printf("not ok - %d frames or allocations are left\n", (int)fake_nr_memory);
    }
}

static int result(const char *name, uint64_t bad)
{
    printf("%s - %s\n", bad == 0 ? "ok" : "not ok", name);
    return bad != 0;
}

int main(int argc, char **argv)
{
    uint32_t seeds = argc > 1 ? (uint32_t)atoi(argv[1]) : 60;
    uint32_t seed;
    uint64_t bad = 0, writes = 0;

    for (seed = 1; seed <= seeds && bad == 0; seed++) {
        bool faults = seed % 3 == 0;
        uint64_t digest = compare_digest;

        schedule(seed, seed % 2 == 0, 4000, faults);
        if (faults) {
            /* Which write is refused depends on how many are made. */
            compare_digest = digest;
        } else {
            writes += fake_nr_wrmsr;
        }
        bad = world_inexact + world_torn + world_leaks + world_gate_wrong;
    }
    printf("# digest %016" PRIx64 "\n# writes %" PRIu64 "\n", compare_digest, writes);
    return result("every slot exact, in every order", world_inexact) |
           result("no page torn, wherever an interrupt comes", world_torn) |
           result("nothing of another VCPU readable", world_leaks) |
           result("RDPMC open exactly when asked for", world_gate_wrong);
}
