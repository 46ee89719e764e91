/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HOT PATH: called from every VCPU switch and every change between guest user and kernel mode; may
 * not allocate, take a sleeping lock, log or loop without bound.
 *
 * Contexts: the pcpu concerned; each function turns interrupts off itself. Locks: none, because a
 * pcpu's counters and the VCPU that runs there have no other writer with interrupts off.
 */
#include "slot.h"

/* A register this far from its start is booked at the next chance: see pcx_pcpu_fold(). */
static bool fold_due(const struct pcx_slot *slot)
{
    return ((slot->raw - slot->start) & slot->mask) > slot->mask / 4;
}

/*
 * The isolation rule: whoever may execute RDPMC finds in a counter his own value or zero; what a
 * sibling VCPU of the same domain counted is no more his than a stranger's. The counters of his own
 * slots are loaded after this. own_mask NULL: he has none.
 */
static bool foreign_scrub(struct pcx_pcpu *pcpu, const uint64_t *own_mask)
{
    bool clean = true;
    uint32_t c;

    for (c = 0; c < XEN_PERFCTR_MAX_CLASSES; c++) {
        uint64_t mask = pcpu->dirty_mask[c];

        for (mask &= own_mask == NULL ? ~0ull : ~own_mask[c]; mask != 0; mask &= mask - 1) {
            if (pcx_pmc_scrub(pcpu, c, pcx_bit_lowest(mask)) != 0) {
                clean = false;
            }
        }
    }
    return clean;
}

static bool slots_restore(struct pcx_pcpu *pcpu, const struct pcx_vcpu *v)
{
    uint32_t live;

    for (live = v->live_mask; live != 0; live &= live - 1) {
        const struct pcx_slot *slot = &v->slot[pcx_bit_lowest(live)];

        if (pcx_slot_restore(pcpu, v, slot) != 0) {
            return false;
        }
    }
    return true;
}

/* Goes over to mode; what has been counted up to slot->raw came in the old one. */
static void mode_adopt(struct pcx_vcpu *v, uint32_t mode)
{
    uint32_t split;

    for (split = v->split_mask; split != 0 && mode != v->mode; split &= split - 1) {
        struct pcx_slot *slot = &v->slot[pcx_bit_lowest(split)];

        pcx_slot_book(slot, v->mode, slot->raw);
        pcx_slot_sums_publish(v, pcx_bit_lowest(split));
    }
    v->mode = mode;
}

void pcx_vcpu_switch_in(struct pcx_vcpu *v, uint32_t mode)
{
    unsigned long flags = pcx_port_irq_save();
    struct pcx_pcpu *pcpu = pcx_port_pcpu();
    bool rdpmc = v->rdpmc;

    pcx_page_write_begin(v);
    v->blocked = !foreign_scrub(pcpu, v->pmc_mask);
    if (mode == XEN_PERFCTR_MODE_USER && v->mode != mode) {
        rdpmc = PCX_READ_ONCE(v->control->rdpmc) != 0;
    }
    mode_adopt(v, mode);
    if (!slots_restore(pcpu, v)) {
        pcx_slots_drop(pcpu, v);
        pcx_page_publish(v);
    }
    pcx_rdpmc_follow(pcpu, v, rdpmc);
    v->tsc_start = pcx_port_tsc();
    pcx_head_publish(v);
    pcpu->running = v;
    pcx_page_write_end(v);
    pcx_port_irq_restore(flags);
}

void pcx_vcpu_switch_out(struct pcx_vcpu *v)
{
    unsigned long flags = pcx_port_irq_save();
    struct pcx_pcpu *pcpu = pcx_port_pcpu();

    if (pcpu->running == v) {
        bool fold = false;
        uint32_t live;

        for (live = v->live_mask; live != 0; live &= live - 1) {
            struct pcx_slot *slot = &v->slot[pcx_bit_lowest(live)];

            slot->raw = pcx_port_rdpmc(slot->rdpmc);
            fold |= fold_due(slot);
        }
        if (fold) {
            pcx_page_write_begin(v);
            pcx_slots_book(v);
            pcx_page_publish(v);
            pcx_page_write_end(v);
        }
        v->tsc_sum += pcx_port_tsc() - v->tsc_start;
        pcpu->running = NULL;
    }
    pcx_port_irq_restore(flags);
}

void pcx_other_switch_in(uint64_t incarnation, bool may_read)
{
    unsigned long flags = pcx_port_irq_save();
    struct pcx_pcpu *pcpu = pcx_port_pcpu();
    uint32_t c;

    if (may_read) {
        /* Unregistered: nothing in the counters is his. A refused write leaves them MIXED. */
        (void)foreign_scrub(pcpu, NULL);
    }
    for (c = 0; c < XEN_PERFCTR_MAX_CLASSES; c++) {
        uint64_t mask;

        for (mask = pcpu->dirty_mask[c]; mask != 0; mask &= mask - 1) {
            uint64_t *owner = &pcpu->owner[c][pcx_bit_lowest(mask)];

            /* The counters left running are about to count another domain. */
            if (*owner != incarnation) {
                *owner = PCX_OWNER_MIXED;
            }
        }
    }
    pcx_port_irq_restore(flags);
}

static void toggle_book(struct pcx_pcpu *pcpu, struct pcx_vcpu *v, uint32_t mode, bool rdpmc)
{
    uint32_t split;

    pcx_page_write_begin(v);
    for (split = v->split_mask; split != 0; split &= split - 1) {
        struct pcx_slot *slot = &v->slot[pcx_bit_lowest(split)];

        pcx_slot_book(slot, v->mode, pcx_port_rdpmc(slot->rdpmc));
        pcx_slot_sums_publish(v, pcx_bit_lowest(split));
    }
    v->mode = mode;
    v->page->mode = mode;
    if (mode == XEN_PERFCTR_MODE_USER) {
        pcx_rdpmc_follow(pcpu, v, rdpmc);
        v->page->flags = v->rdpmc ? XEN_PERFCTR_COUNTER_FLAG_RDPMC : 0;
    }
    pcx_page_write_end(v);
}

void pcx_vcpu_toggle(struct pcx_vcpu *v, uint32_t mode)
{
    bool rdpmc =
        mode == XEN_PERFCTR_MODE_USER ? PCX_READ_ONCE(v->control->rdpmc) != 0 : v->rdpmc;
    unsigned long flags;
    struct pcx_pcpu *pcpu;

    /*
     * The common case: no sum changes over and RDPMC stays as it is. No reader looks at the mode of
     * such a page, and only v itself makes a slot live, so nothing has to be held off.
     */
    if (v->split_mask == 0 && rdpmc == v->rdpmc) {
        v->mode = mode;
        v->page->mode = mode;
        return;
    }
    flags = pcx_port_irq_save();
    pcpu = pcx_port_pcpu();
    /* A toggle inside a VCPU switch is noticed by switch_in. */
    if (pcpu->running == v) {
        toggle_book(pcpu, v, mode, rdpmc);
    }
    pcx_port_irq_restore(flags);
}

void pcx_vcpu_credit(struct pcx_vcpu *v)
{
    unsigned long flags = pcx_port_irq_save();
    struct pcx_pcpu *pcpu = pcx_port_pcpu();
    uint32_t mask = pcpu->running == v ? v->credit_mask : 0;

    if (mask != 0) {
        pcx_page_write_begin(v);
        for (; mask != 0; mask &= mask - 1) {
            struct pcx_slot *slot = &v->slot[pcx_bit_lowest(mask)];

            if (slot->kind == XEN_PERFCTR_KIND_OFFSET) {
                slot->sum[v->mode]++;
                pcx_slot_sums_publish(v, pcx_bit_lowest(mask));
                continue;
            }
            /* A RAW register equals V, so the event has to go into the register itself. */
            slot->raw = (pcx_port_rdpmc(slot->rdpmc) + 1) & slot->mask;
            if (pcx_slot_load(pcpu, v, slot) != 0) {
                pcx_slots_drop(pcpu, v);
                pcx_rdpmc_follow(pcpu, v, v->rdpmc);
                pcx_page_publish(v);
                break;
            }
        }
        pcx_page_write_end(v);
    }
    pcx_port_irq_restore(flags);
}
