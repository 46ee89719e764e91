/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of the calling pcpu, and the slots that use them.
 *
 * Contexts: the pcpu concerned, interrupts off. Locks: none, because a pcpu's counters and the
 * state of the VCPU that runs there have no other writer.
 */
#include "slot.h"

static int msr_pair_write(struct pcx_pcpu *pcpu, uint32_t first, uint64_t first_value,
                          uint32_t second, uint64_t second_value)
{
    if (pcx_port_wrmsr_safe(first, first_value) != 0 ||
        pcx_port_wrmsr_safe(second, second_value) != 0) {
        pcpu->nr_refused++;
        return -PCX_EIO;
    }
    return 0;
}

int pcx_pmc_load(struct pcx_pcpu *pcpu, uint32_t pmc_class, uint32_t pmc, uint64_t selector,
                 uint64_t raw, uint64_t owner)
{
    const struct pcx_class *class = &pcx_host.classes[pmc_class];
    uint32_t step = pmc * class->msr_step;
    int ret;

    /* Before the writes: one that fails in between must leave a counter that gets cleared. */
    pcpu->dirty_mask[pmc_class] |= 1ull << pmc;
    pcpu->owner[pmc_class][pmc] = PCX_OWNER_MIXED;
    ret =
        msr_pair_write(pcpu, class->counter_msr + step, raw, class->selector_msr + step, selector);
    if (ret != 0) {
        return ret;
    }
    pcpu->owner[pmc_class][pmc] = owner;
    return 0;
}

int pcx_pmc_scrub(struct pcx_pcpu *pcpu, uint32_t pmc_class, uint32_t pmc)
{
    const struct pcx_class *class = &pcx_host.classes[pmc_class];
    uint32_t step = pmc * class->msr_step;
    int ret;

    pcpu->dirty_mask[pmc_class] |= 1ull << pmc;
    pcpu->owner[pmc_class][pmc] = PCX_OWNER_MIXED;
    ret = msr_pair_write(pcpu, class->selector_msr + step, 0, class->counter_msr + step, 0);
    if (ret != 0) {
        return ret;
    }
    pcpu->dirty_mask[pmc_class] &= ~(1ull << pmc);
    pcpu->owner[pmc_class][pmc] = PCX_OWNER_NONE;
    return 0;
}

int pcx_slot_load(struct pcx_pcpu *pcpu, const struct pcx_vcpu *v, const struct pcx_slot *slot)
{
    /* Here Xen's part of the selector is not known, and a counter without it counts nothing. */
    if (!pcpu->started) {
        return -PCX_EIO;
    }
    return pcx_pmc_load(pcpu, slot->pmc_class, slot->pmc, slot->evtsel | pcpu->selector_pv,
                        slot->raw, v->domain->incarnation);
}

void pcx_slots_book(struct pcx_vcpu *v)
{
    uint32_t live;

    for (live = v->live_mask; live != 0; live &= live - 1) {
        struct pcx_slot *slot = &v->slot[pcx_bit_lowest(live)];

        pcx_slot_book(slot, v->mode, pcx_port_rdpmc(slot->rdpmc));
    }
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
}

void pcx_rdpmc_follow(const struct pcx_pcpu *pcpu, struct pcx_vcpu *v, bool wanted)
{
    bool open = wanted && pcpu->started && !v->blocked;

    if (open != v->rdpmc) {
        v->rdpmc = open;
        pcx_port_rdpmc_gate_write(open);
    }
}
