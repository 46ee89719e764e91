/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of the calling pcpu, and the slots that use them.
 *
 * Contexts: the pcpu concerned, interrupts off. Locks: none, because a pcpu's counters and the
 * state of the VCPU that runs there have no other writer.
 */
#include "slot.h"

/*
 * With this defined nothing is left out because the hardware holds it already: the simple rule that
 * the other is compared with. Never in a release.
 */
#if defined(PCX_EAGER)
#define EAGER true
#else
#define EAGER false
#endif

/* Before writes to a counter: one that fails in between must leave a counter that gets cleared. */
static void pmc_forget(struct pcx_pcpu *pcpu, uint32_t c, uint32_t pmc)
{
    pcpu->dirty_mask[c] |= 1ull << pmc;
    pcpu->owner[c][pmc] = PCX_OWNER_MIXED;
}

static int selector_write(struct pcx_pcpu *pcpu, uint32_t c, uint32_t pmc, uint64_t selector)
{
    const struct pcx_class *class = &pcx_host.classes[c];

    pcpu->selector[c][pmc] = PCX_SELECTOR_UNKNOWN;
    if (pcx_port_wrmsr_safe(class->selector_msr + pmc * class->msr_step, selector) != 0) {
        pcpu->nr_refused++;
        return -PCX_EIO;
    }
    pcpu->selector[c][pmc] = selector;
    return 0;
}

static int counter_write(struct pcx_pcpu *pcpu, uint32_t c, uint32_t pmc, uint64_t raw)
{
    const struct pcx_class *class = &pcx_host.classes[c];

    if (pcx_port_wrmsr_safe(class->counter_msr + pmc * class->msr_step, raw) != 0) {
        pcpu->nr_refused++;
        return -PCX_EIO;
    }
    return 0;
}

int pcx_pmc_scrub(struct pcx_pcpu *pcpu, uint32_t pmc_class, uint32_t pmc)
{
    int ret;

    pmc_forget(pcpu, pmc_class, pmc);
    ret = selector_write(pcpu, pmc_class, pmc, 0);
    if (ret == 0) {
        ret = counter_write(pcpu, pmc_class, pmc, 0);
    }
    if (ret == 0) {
        pcpu->dirty_mask[pmc_class] &= ~(1ull << pmc);
        pcpu->owner[pmc_class][pmc] = PCX_OWNER_NONE;
    }
    return ret;
}

static uint64_t slot_selector(const struct pcx_pcpu *pcpu, const struct pcx_slot *slot)
{
    return slot->evtsel | pcpu->selector_pv;
}

int pcx_slot_load(struct pcx_pcpu *pcpu, const struct pcx_vcpu *v, const struct pcx_slot *slot)
{
    uint32_t c = slot->pmc_class, pmc = slot->pmc;
    uint64_t selector = slot_selector(pcpu, slot);
    int ret;

    /* Here Xen's part of the selector is not known, and a counter without it counts nothing. */
    if (!pcpu->started) {
        return -PCX_EIO;
    }
    pmc_forget(pcpu, c, pmc);
    ret = counter_write(pcpu, c, pmc, slot->raw);
    if (ret == 0 && (EAGER || pcpu->selector[c][pmc] != selector)) {
        ret = selector_write(pcpu, c, pmc, selector);
    }
    if (ret == 0) {
        pcpu->owner[c][pmc] = v->domain->incarnation;
    }
    return ret;
}

int pcx_slot_restore(struct pcx_pcpu *pcpu, const struct pcx_vcpu *v, const struct pcx_slot *slot)
{
    uint32_t c = slot->pmc_class, pmc = slot->pmc;

    if (EAGER || !pcpu->started || pcpu->selector[c][pmc] != slot_selector(pcpu, slot) ||
        pcx_port_rdpmc(slot->rdpmc) != slot->raw) {
        return pcx_slot_load(pcpu, v, slot);
    }
    /* Whoever used the counter meanwhile, it holds what would be written, bit for bit. */
    pcpu->dirty_mask[c] |= 1ull << pmc;
    pcpu->owner[c][pmc] = v->domain->incarnation;
    return 0;
}

void pcx_slots_book(struct pcx_vcpu *v)
{
    uint32_t live;

    for (live = v->live_mask; live != 0; live &= live - 1) {
        struct pcx_slot *slot = &v->slot[pcx_bit_lowest(live)];

        pcx_slot_book(slot, v->mode, pcx_port_rdpmc(slot->rdpmc));
    }
}

void pcx_slot_free(struct pcx_vcpu *v, uint32_t i)
{
    struct pcx_slot *slot = &v->slot[i];

    v->live_mask &= ~(1u << i);
    v->split_mask &= ~(1u << i);
    v->credit_mask &= ~(1u << i);
    v->pmc_mask[slot->pmc_class] &= ~(1ull << slot->pmc);
    *slot = (struct pcx_slot){0};
}

void pcx_slots_drop(struct pcx_pcpu *pcpu, struct pcx_vcpu *v)
{
    uint32_t i, c;

    for (c = 0; c < XEN_PERFCTR_MAX_CLASSES; c++) {
        uint64_t mask;

        for (mask = v->pmc_mask[c]; pcpu != NULL && mask != 0; mask &= mask - 1) {
            if (pcx_pmc_scrub(pcpu, c, pcx_bit_lowest(mask)) != 0) {
                v->blocked = true;
            }
        }
        v->pmc_mask[c] = 0;
    }
    for (i = 0; i < XEN_PERFCTR_MAX_SLOTS; i++) {
        v->slot[i] = (struct pcx_slot){0};
    }
    v->live_mask = 0;
    v->split_mask = 0;
    v->credit_mask = 0;
    v->revoked_mask = 0;
}

void pcx_rdpmc_follow(const struct pcx_pcpu *pcpu, struct pcx_vcpu *v, bool wanted)
{
    bool open = wanted && pcpu->started && !v->blocked;

    if (open != v->rdpmc) {
        v->rdpmc = open;
        pcx_port_rdpmc_gate_write(open);
    }
}
