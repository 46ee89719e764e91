/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * See compare.h.
 *
 * The reader is written after the loop in include/xen/perfctr.h, not after the core.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"

uint64_t world_inexact, world_torn, world_leaks, world_gate_wrong;
uint64_t compare_digest;

struct reading {
    bool live;
    bool raw;
    uint64_t user, kernel, reg;
};

static uint64_t rdpmc(uint32_t pcpu, uint32_t ecx)
{
    uint32_t c;

    for (c = 0; c < XEN_PERFCTR_MAX_CLASSES; c++) {
        if (ecx - pcx_host.classes[c].rdpmc_base < pcx_host.classes[c].nr_pmc) {
            return fake_counter(pcpu, c, ecx - pcx_host.classes[c].rdpmc_base);
        }
    }
    return 0;
}

static struct reading slot_read(const struct world_vcpu *v, uint32_t i, bool rdpmc_open)
{
    const struct xen_perfctr_counter_page *page = v->core->page;
    const struct xen_perfctr_counter_slot *s = &page->slot[i];
    struct reading r = {.live = (s->flags & XEN_PERFCTR_LIVE) != 0,
                        .raw = (s->flags & XEN_PERFCTR_RAW) != 0,
                        .user = s->sum_user,
                        .kernel = s->sum_kernel};

    if (r.live && rdpmc_open) {
        uint64_t delta;

        r.reg = rdpmc((uint32_t)v->pcpu, s->rdpmc);
        delta = (r.reg - s->start) & ((1ull << s->width_bits) - 1);
        if (r.raw || page->mode == XEN_PERFCTR_MODE_USER) {
            r.user += delta;
        } else {
            r.kernel += delta;
        }
        r.reg ^= r.user & ((1ull << s->width_bits) - 1); /* RAW: 0 */
    }
    return r;
}

/* Is it what the oracle has for the slot? */
static bool slot_right(const struct reading *r, const struct expect_slot *e)
{
    if (!e->live || !r->live) {
        return e->live == r->live && r->user == 0 && r->kernel == 0;
    }
    if (e->arg.kind == XEN_PERFCTR_KIND_RAW) {
        return r->raw && r->user == e->sum[0] + e->sum[1] && r->kernel == 0 && r->reg == 0;
    }
    return !r->raw && r->user == e->sum[0] && r->kernel == e->sum[1];
}

static bool page_right(const struct world_vcpu *v, const struct expect_slot *expect, bool open)
{
    uint32_t i;

    for (i = 0; i < XEN_PERFCTR_MAX_SLOTS; i++) {
        struct reading r = slot_read(v, i, open);

        if (!slot_right(&r, &expect[i])) {
            return false;
        }
    }
    return true;
}

static void digest_add(uint64_t value)
{
    const uint64_t fnv_prime = 0x100000001b3ull; /* of FNV-1a, a word at a time */

    compare_digest = (compare_digest ^ value) * fnv_prime;
}

static void page_digest(const struct world_vcpu *v)
{
    uint32_t i;

    for (i = 0; i < XEN_PERFCTR_MAX_SLOTS; i++) {
        struct reading r = slot_read(v, i, true);

        digest_add(r.user);
        digest_add(r.kernel);
        digest_add(r.live);
    }
}

static void complain(uint64_t *count, const char *what, const struct world_vcpu *v)
{
    if ((*count)++ == 0) {
        printf("# %s: VCPU %u on pcpu %d in mode %u\n", what, v->id, (int)v->pcpu, v->mode);
    }
}

/* A refused write frees all slots of a VCPU, which its page must show; nothing in between. */
static void settle(struct world_vcpu *v)
{
    uint32_t i;

    for (i = 0; i < XEN_PERFCTR_MAX_SLOTS; i++) {
        if (v->core->page->slot[i].flags != 0) {
            return;
        }
    }
    memset(v->now, 0, sizeof(v->now));
}

/*
 * A counter of v's own slots holds what v did and counts what v asked for, bit for bit: then it is
 * v's, whoever wrote it.
 */
static void own_counters_claim(const struct world_vcpu *v)
{
    uint32_t i;

    for (i = 0; i < XEN_PERFCTR_MAX_SLOTS; i++) {
        const struct expect_slot *e = &v->now[i];
        const struct pcx_class *class = &pcx_host.classes[e->arg.pmc_class];
        uint32_t p = (uint32_t)v->pcpu;

        if (e->live &&
            fake_counter(p, e->arg.pmc_class, e->arg.pmc) ==
                (e->reg & ((1ull << class->width_bits) - 1)) &&
            (fake_msr(p, class->selector_msr + e->arg.pmc * class->msr_step) &
             class->evtsel_mask) == e->arg.evtsel) {
            fake_pcpus[p].source[e->arg.pmc_class][e->arg.pmc] =
                (struct fake_source){v->life, v->life};
        }
    }
}

/* Nothing that v can RDPMC comes from another VCPU, neither the value nor the selector. */
static void isolation_check(const struct world_vcpu *v)
{
    uint64_t life = v->core == NULL ? FAKE_NOBODY : v->life;
    uint32_t c, pmc;

    for (c = 0; c < XEN_PERFCTR_MAX_CLASSES; c++) {
        for (pmc = 0; pmc < pcx_host.classes[c].nr_pmc; pmc++) {
            const struct fake_source *s = &fake_pcpus[v->pcpu].source[c][pmc];

            if ((s->value != FAKE_NOBODY && s->value != life) ||
                (s->selector != FAKE_NOBODY && s->selector != life)) {
                complain(&world_leaks, "another VCPU's counter is readable", v);
            }
        }
    }
}

static void gate_check(const struct world_vcpu *v)
{
    bool gate = fake_pcpus[v->pcpu].gate;
    bool wanted = v->core != NULL && v->rdpmc;

    if (gate != wanted && (gate || fake_failed == 0)) {
        complain(&world_gate_wrong, "RDPMC is not as asked for", v);
    }
    if (v->core != NULL && gate != ((v->core->page->flags & XEN_PERFCTR_COUNTER_FLAG_RDPMC) != 0)) {
        complain(&world_gate_wrong, "the page does not tell whether RDPMC is open", v);
    }
}

void compare_all(void)
{
    uint32_t p, i;

    for (p = 0; p < FAKE_NR_PCPUS; p++) {
        struct world_vcpu *v = world_current[p];

        if (v == NULL) {
            continue;
        }
        gate_check(v);
        if (v->core == NULL) {
            if (v->domain->hvm && fake_failed == 0) {
                isolation_check(v);
            }
            continue;
        }
        if (fake_failed != 0) {
            settle(v);
        }
        own_counters_claim(v);
        if (fake_failed == 0 || fake_pcpus[p].gate) {
            isolation_check(v);
        }
        if ((v->core->page->seq & 1) != 0 || v->core->page->mode != v->mode) {
            complain(&world_torn, "the page is left torn", v);
        } else if (!page_right(v, v->now, true)) {
            complain(&world_inexact, "a slot is not exact", v);
        }
        if (fake_failed == 0) {
            page_digest(v);
        }
    }
    for (i = 0; i < WORLD_NR_VCPUS; i++) {
        memcpy(world_vcpus[i].before, world_vcpus[i].now, sizeof(world_vcpus[i].now));
    }
}

void compare_synced(const struct world_vcpu *v)
{
    if (!page_right(v, v->now, false)) {
        complain(&world_inexact, "a synced page is not exact", v);
    }
}

void compare_interrupted(void)
{
    uint32_t p;

    for (p = 0; p < FAKE_NR_PCPUS; p++) {
        const struct world_vcpu *v = world_current[p];

        if (v == NULL || v->core == NULL || fake_pcpus[p].core.running != v->core ||
            (v->core->page->seq & 1) != 0) {
            continue;
        }
        if (!page_right(v, v->before, true) && !page_right(v, v->now, true) && fake_failed == 0) {
            complain(&world_torn, "a page is torn in mid-way", v);
        }
    }
}
