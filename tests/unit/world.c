/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The operations. See world.h; the comparison is in compare.c.
 */
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "soft.h"

struct world_domain world_domains[WORLD_NR_DOMAINS];
struct world_vcpu world_vcpus[WORLD_NR_VCPUS];
struct world_vcpu *world_current[FAKE_NR_PCPUS];

/* Instructions, cycles, branches, DTLB misses; event 0 and up with the soft PMU. */
const uint64_t world_events[WORLD_NR_EVENTS] = {0xc0, 0x76, 0xc2, 0x45};

static uint64_t last_life;

static const struct pcx_policy policy = {XEN_PERFCTR_LEVEL_COUNT, XEN_PERFCTR_ALLOW_ALL};

/* The core is about to act on pcpu for v. */
static void enter(uint32_t pcpu, const struct world_vcpu *v)
{
    fake_pcpu = pcpu;
    fake_life = v == NULL ? FAKE_MANY : v->life;
}

/* What its VCPUs counted before must not be found any more. */
static void lives_renew(const struct world_domain *domain)
{
    uint32_t i;

    for (i = 0; i < WORLD_NR_VCPUS; i++) {
        if (world_vcpus[i].domain == domain) {
            world_vcpus[i].life = ++last_life;
        }
    }
}

static void domain_begin(struct world_domain *domain)
{
    lives_renew(domain);
    pcx_domain_init(&domain->core, policy);
}

static void slots_forget(struct world_vcpu *v)
{
    memset(v->now, 0, sizeof(v->now));
}

void world_init(bool soft)
{
    uint32_t i;

    fake_reset();
    memset(world_domains, 0, sizeof(world_domains));
    memset(world_vcpus, 0, sizeof(world_vcpus));
    memset(world_current, 0, sizeof(world_current));
    if (soft) {
        fake_soft();
    } else if (!fake_amd()) {
        printf("error - the description does not find its PMU\n");
    }
    world_domains[2].hvm = true;
    for (i = 0; i < WORLD_NR_VCPUS; i++) {
        world_vcpus[i].domain = &world_domains[i == 7 ? 2 : i / 4];
        world_vcpus[i].id = i;
        world_vcpus[i].pcpu = -1;
        world_vcpus[i].mode = XEN_PERFCTR_MODE_KERNEL;
    }
    for (i = 0; i < WORLD_NR_DOMAINS; i++) {
        domain_begin(&world_domains[i]);
    }
    for (i = 0; i < FAKE_NR_PCPUS; i++) {
        world_pcpu_restart(i);
    }
    fake_interrupt = compare_interrupted;
}

void world_finish(void)
{
    uint32_t i;

    for (i = 0; i < FAKE_NR_PCPUS; i++) {
        world_switch(i, NULL);
    }
    for (i = 0; i < WORLD_NR_VCPUS; i++) {
        if (world_vcpus[i].core != NULL) {
            world_unregister(&world_vcpus[i]);
        }
    }
    fake_interrupt = NULL;
}

void world_switch(uint32_t pcpu, struct world_vcpu *next)
{
    struct world_vcpu *prev = world_current[pcpu];

    if (prev != NULL) {
        enter(pcpu, prev);
        if (prev->core != NULL) {
            pcx_vcpu_switch_out(prev->core);
        }
        prev->pcpu = -1;
    }
    world_current[pcpu] = next;
    if (next == NULL) {
        return;
    }
    enter(pcpu, next);
    next->pcpu = (int32_t)pcpu;
    fake_pcpus[pcpu].gate = next->core != NULL && next->core->rdpmc;
    if (next->core != NULL) {
        /* It was put into another mode meanwhile, which counts as a change to that mode. */
        if (next->mode != next->core->mode && next->mode == XEN_PERFCTR_MODE_USER) {
            next->rdpmc = next->core->control->rdpmc != 0;
        }
        pcx_vcpu_switch_in(next->core, next->mode);
    } else {
        pcx_other_switch_in(next->domain->core.incarnation, next->domain->hvm);
    }
    compare_all();
}

static bool event_counts(const struct expect_slot *slot, uint64_t evtsel)
{
    return slot->live && slot->arg.evtsel == evtsel;
}

void world_run(uint32_t pcpu, uint32_t event, uint64_t n)
{
    struct world_vcpu *v = world_current[pcpu];
    uint32_t i;

    enter(pcpu, v);
    fake_run(world_events[event], n);
    for (i = 0; i < XEN_PERFCTR_MAX_SLOTS; i++) {
        if (event_counts(&v->now[i], world_events[event])) {
            v->now[i].sum[v->mode] += n;
            v->now[i].reg += n;
        }
    }
    compare_all();
}

void world_toggle(uint32_t pcpu)
{
    struct world_vcpu *v = world_current[pcpu];

    enter(pcpu, v);
    v->mode = !v->mode;
    if (v->core != NULL) {
        pcx_vcpu_toggle(v->core, v->mode);
        if (v->mode == XEN_PERFCTR_MODE_USER) {
            v->rdpmc = v->core->control->rdpmc != 0;
        }
    }
    compare_all();
}

void world_credit(uint32_t pcpu)
{
    struct world_vcpu *v = world_current[pcpu];
    uint32_t i;

    enter(pcpu, v);
    for (i = 0; i < XEN_PERFCTR_MAX_SLOTS; i++) {
        if (v->now[i].live && (v->now[i].arg.flags & XEN_PERFCTR_SLOT_CREDIT) != 0) {
            v->now[i].sum[v->mode]++;
            v->now[i].reg += v->now[i].arg.kind == XEN_PERFCTR_KIND_RAW;
        }
    }
    if (v->core != NULL) {
        pcx_vcpu_credit(v->core);
    }
    compare_all();
}

void world_fold(uint32_t pcpu)
{
    enter(pcpu, world_current[pcpu]);
    pcx_pcpu_fold();
    compare_all();
}

void world_sync(uint32_t pcpu)
{
    enter(pcpu, world_current[pcpu]);
    world_current[pcpu]->rdpmc = true;
    pcx_vcpu_sync(world_current[pcpu]->core);
    compare_synced(world_current[pcpu]);
    compare_all();
}

void world_rdpmc_ask(struct world_vcpu *v, uint8_t byte)
{
    v->core->control->rdpmc = byte;
}

void world_register_arg(const struct world_vcpu *v, struct xen_perfctr_register *arg)
{
    uint64_t first = 8 + 4 * v->id;

    memset(arg, 0, sizeof(*arg));
    arg->vcpu = v->id;
    arg->counter_gfn = first;
    arg->control_gfn = first + 1;
    arg->nr_ring = 1;
    arg->ring_gfn[0] = first + 2;
}

int world_register(struct world_vcpu *v)
{
    struct xen_perfctr_register arg;
    int ret;

    world_register_arg(v, &arg);
    enter(v->pcpu < 0 ? 0 : (uint32_t)v->pcpu, v);
    if (v->core != NULL || v->domain->core.policy.level != XEN_PERFCTR_LEVEL_OFF) {
        slots_forget(v);
        v->rdpmc = false;
    }
    ret = pcx_vcpu_register(NULL, &v->domain->core, &arg, v->pcpu >= 0, &v->core);
    compare_all();
    return ret;
}

void world_unregister(struct world_vcpu *v)
{
    enter(v->pcpu < 0 ? 0 : (uint32_t)v->pcpu, v);
    slots_forget(v);
    v->rdpmc = false;
    pcx_vcpu_unregister(v->pcpu >= 0, &v->core);
    compare_all();
}

static bool same(const struct xen_perfctr_slot *a, const struct xen_perfctr_slot *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

static void expect_program(struct world_vcpu *v, const struct xen_perfctr_program *arg)
{
    struct expect_slot next[XEN_PERFCTR_MAX_SLOTS];
    uint32_t i;

    memset(next, 0, sizeof(next));
    for (i = 0; i < arg->nr; i++) {
        const struct xen_perfctr_slot *s = &arg->slot[i];

        if (v->now[s->slot].live && same(&v->now[s->slot].arg, s)) {
            next[s->slot] = v->now[s->slot];
        } else {
            next[s->slot].live = true;
            next[s->slot].arg = *s;
            next[s->slot].reg =
                s->kind == XEN_PERFCTR_KIND_OFFSET ? pcx_host.offset_start : 0;
        }
    }
    memcpy(v->now, next, sizeof(next));
}

int world_program(uint32_t pcpu, struct xen_perfctr_program *arg)
{
    struct world_vcpu *v = world_current[pcpu];
    uint32_t bad;
    int ret;

    enter(pcpu, v);
    ret = pcx_program_check(&v->domain->core, arg, &bad);
    if (ret == 0) {
        expect_program(v, arg);
        ret = pcx_vcpu_program(v->core, arg);
        if (ret == 0) {
            compare_synced(v);
        } else {
            slots_forget(v);
        }
    }
    compare_all();
    return ret;
}

int world_permission(const struct world_domain *domain, const struct xen_perfctr_slot *s)
{
    bool amd = pcx_host.ops != &soft_ops;
    /* Of world_events: architectural on AMD is all but the page walks; on the soft PMU none. */
    bool arch = amd && s->evtsel != 0x45;

    if (domain->core.policy.level == XEN_PERFCTR_LEVEL_OFF) {
        return -PCX_EPERM;
    }
    return arch || domain->core.policy.allow == XEN_PERFCTR_ALLOW_ALL ? 0 : -PCX_EACCES;
}

void world_policy_set(struct world_domain *domain, struct pcx_policy policy_new,
                      struct world_vcpu *caller)
{
    const struct xen_perfctr_policy arg = {
        .action = XEN_PERFCTR_POLICY_SET, .level = policy_new.level, .allow = policy_new.allow};
    uint32_t i, slot;

    /* The others are paused. */
    for (i = 0; i < FAKE_NR_PCPUS; i++) {
        struct world_vcpu *v = world_current[i];

        if (v != NULL && v->domain == domain && v != caller) {
            world_switch(i, NULL);
        }
    }
    pcx_policy_set(&domain->core, &arg);
    lives_renew(domain);
    for (i = 0; i < WORLD_NR_VCPUS; i++) {
        struct world_vcpu *v = &world_vcpus[i];

        if (v->domain != domain || v->core == NULL) {
            continue;
        }
        for (slot = 0; slot < XEN_PERFCTR_MAX_SLOTS; slot++) {
            if (v->now[slot].live && world_permission(domain, &v->now[slot].arg) != 0) {
                memset(&v->now[slot], 0, sizeof(v->now[slot]));
            }
        }
        enter(v == caller ? (uint32_t)v->pcpu : 0, v);
        pcx_vcpu_policy_follow(v->core, v == caller);
    }
    compare_all();
}

void world_domain_replace(struct world_domain *domain)
{
    uint32_t i;

    for (i = 0; i < WORLD_NR_VCPUS; i++) {
        struct world_vcpu *v = &world_vcpus[i];

        if (v->domain != domain) {
            continue;
        }
        if (v->pcpu >= 0) {
            world_switch((uint32_t)v->pcpu, NULL);
        }
        if (v->core != NULL) {
            world_unregister(v);
        }
    }
    domain_begin(domain);
}

void world_pcpu_restart(uint32_t pcpu)
{
    uint32_t c, pmc;

    enter(pcpu, NULL);
    for (c = 0; c < XEN_PERFCTR_MAX_CLASSES; c++) {
        for (pmc = 0; pmc < pcx_host.classes[c].nr_pmc; pmc++) {
            fake_pcpus[pcpu].source[c][pmc] = (struct fake_source){FAKE_MANY, FAKE_MANY};
        }
    }
    /* A refused write closes RDPMC here, which compare_all() sees to. */
    if (pcx_pcpu_start(&fake_pcpus[pcpu].core) != 0 && fake_failed == 0) {
        printf("not ok - a pcpu starts\n");
    }
    compare_all();
}
