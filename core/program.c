/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The whole set of a VCPU's slots: checking what a guest asks for, and loading it.
 *
 * Contexts: check anywhere; program and sync on the pcpu where the VCPU runs, which turn interrupts
 * off. The guest does not run meanwhile and no counter counts Xen: all that a call does happens at
 * one point of the guest's execution. Locks: none, because a set is only changed by its own VCPU.
 */
#include "slot.h"

#define KNOWN_FLAGS                                                                                \
    (XEN_PERFCTR_SLOT_USER | XEN_PERFCTR_SLOT_KERNEL | XEN_PERFCTR_SLOT_SPLIT |                    \
     XEN_PERFCTR_SLOT_USER_READ | XEN_PERFCTR_SLOT_CREDIT)
#define BOTH_MODES (XEN_PERFCTR_SLOT_USER | XEN_PERFCTR_SLOT_KERNEL)

/* What one call may name only once. */
struct named {
    uint32_t slot_mask;
    uint64_t pmc_mask[XEN_PERFCTR_MAX_CLASSES];
};

/* Is the entry well formed, whatever the machine? */
static int form_check(const struct xen_perfctr_slot *s)
{
    uint32_t modes = s->flags & BOTH_MODES;
    uint32_t foreign_flags = 0;

    if (s->pad != 0 || s->config1 != 0 || s->config2 != 0 || (s->flags & ~KNOWN_FLAGS) != 0 ||
        modes == 0) {
        return -PCX_EINVAL;
    }
    switch (s->kind) {
    case XEN_PERFCTR_KIND_OFFSET:
        if ((s->flags & XEN_PERFCTR_SLOT_SPLIT) != 0 && modes != BOTH_MODES) {
            return -PCX_EINVAL;
        }
        break;
    case XEN_PERFCTR_KIND_RAW:
        foreign_flags = XEN_PERFCTR_SLOT_SPLIT;
        break;
    case XEN_PERFCTR_KIND_SAMPLE:
        foreign_flags = XEN_PERFCTR_SLOT_SPLIT | XEN_PERFCTR_SLOT_USER_READ;
        if (s->left == 0 || s->left > s->period) {
            return -PCX_EINVAL;
        }
        break;
    default:
        return -PCX_EINVAL;
    }
    if (s->kind != XEN_PERFCTR_KIND_SAMPLE && (s->period != 0 || s->left != 0)) {
        return -PCX_EINVAL;
    }
    return (s->flags & foreign_flags) != 0 ? -PCX_EINVAL : 0;
}

/* Does the machine have what the entry names, and is it named once? Makes the indices safe. */
static int machine_check(struct xen_perfctr_slot *s, struct named *named)
{
    if (s->slot >= pcx_host.nr_slots || s->pmc_class >= XEN_PERFCTR_MAX_CLASSES) {
        return -PCX_ENXIO;
    }
    s->slot = (uint16_t)pcx_port_index_nospec(s->slot, pcx_host.nr_slots);
    s->pmc_class = (uint16_t)pcx_port_index_nospec(s->pmc_class, XEN_PERFCTR_MAX_CLASSES);
    if (s->pmc >= pcx_host.classes[s->pmc_class].nr_pmc) {
        return -PCX_ENXIO;
    }
    s->pmc = (uint16_t)pcx_port_index_nospec(s->pmc, XEN_PERFCTR_MAX_SLOTS);
    if ((s->evtsel & ~pcx_host.classes[s->pmc_class].evtsel_mask) != 0 ||
        (named->slot_mask & (1u << s->slot)) != 0 ||
        (named->pmc_mask[s->pmc_class] & (1ull << s->pmc)) != 0) {
        return -PCX_EINVAL;
    }
    named->slot_mask |= 1u << s->slot;
    named->pmc_mask[s->pmc_class] |= 1ull << s->pmc;
    return 0;
}

/* Does this version have it, and may the domain? */
static int permission_check(const struct pcx_domain *domain, const struct xen_perfctr_slot *s)
{
    bool split = (s->flags & XEN_PERFCTR_SLOT_SPLIT) != 0;

    if (s->kind == XEN_PERFCTR_KIND_SAMPLE || (s->kind == XEN_PERFCTR_KIND_OFFSET && !split) ||
        (s->flags & BOTH_MODES) != BOTH_MODES) {
        return -PCX_EOPNOTSUPP;
    }
    if (domain->policy.level < XEN_PERFCTR_LEVEL_COUNT) {
        return -PCX_EPERM;
    }
    if ((pcx_host.avail_mask[s->pmc_class] & (1ull << s->pmc)) == 0) {
        return -PCX_EBUSY;
    }
    return pcx_host.ops->event_check(s->pmc_class, s->evtsel, domain->policy.allow);
}

int pcx_program_check(const struct pcx_domain *domain, struct xen_perfctr_program *arg,
                      uint32_t *bad)
{
    struct named named = {0};
    uint32_t i;
    int ret = 0;

    *bad = 0;
    if (arg->nr > pcx_host.nr_slots) {
        return -PCX_E2BIG;
    }
    if (arg->bad != 0) {
        return -PCX_EINVAL;
    }
    arg->nr = pcx_port_index_nospec(arg->nr, pcx_host.nr_slots + 1);
    for (i = 0; i < arg->nr; i++) {
        struct xen_perfctr_slot *s = &arg->slot[i];

        ret = form_check(s);
        if (ret == 0) {
            ret = machine_check(s, &named);
        }
        if (ret == 0) {
            ret = permission_check(domain, s);
        }
        if (ret != 0) {
            break;
        }
    }
    *bad = i;
    return ret;
}

static bool slot_goes_on(const struct pcx_vcpu *v, const struct xen_perfctr_slot *s)
{
    const struct pcx_slot *slot = &v->slot[s->slot];

    return (v->live_mask & (1u << s->slot)) != 0 && slot->pmc_class == s->pmc_class &&
           slot->pmc == s->pmc && slot->evtsel == s->evtsel && slot->flags == s->flags &&
           slot->kind == s->kind && slot->cookie == s->cookie;
}

static void slot_init(struct pcx_slot *slot, const struct xen_perfctr_slot *s)
{
    const struct pcx_class *class = &pcx_host.classes[s->pmc_class];

    *slot = (struct pcx_slot){
        .pmc_class = s->pmc_class,
        .pmc = s->pmc,
        .kind = s->kind,
        .flags = s->flags,
        .evtsel = s->evtsel,
        .cookie = s->cookie,
        .mask = pcx_mask_low(class->width_bits),
        .rdpmc = class->rdpmc_base + s->pmc,
    };
    if (s->kind == XEN_PERFCTR_KIND_OFFSET) {
        slot->start = pcx_host.offset_start & slot->mask;
    }
    slot->raw = slot->start;
}

/* Frees slots and clears their counters, but for those of kept_mask, which are written anyway. */
static int slots_stop(struct pcx_pcpu *pcpu, struct pcx_vcpu *v, uint32_t mask,
                      const uint64_t *kept_mask)
{
    for (; mask != 0; mask &= mask - 1) {
        uint32_t i = pcx_bit_lowest(mask);
        uint32_t c = v->slot[i].pmc_class;
        uint32_t pmc = v->slot[i].pmc;
        uint64_t kept = kept_mask[c] & (1ull << pmc);

        if (kept == 0 && pcx_pmc_scrub(pcpu, c, pmc) != 0) {
            return -PCX_EIO;
        }
        pcx_slot_free(v, i);
        /* Until it is written the counter is v's to clear. */
        v->pmc_mask[c] |= kept;
    }
    return 0;
}

static int slot_start(struct pcx_pcpu *pcpu, struct pcx_vcpu *v, const struct xen_perfctr_slot *s)
{
    struct pcx_slot *slot = &v->slot[s->slot];

    slot_init(slot, s);
    v->live_mask |= 1u << s->slot;
    if ((s->flags & XEN_PERFCTR_SLOT_SPLIT) != 0) {
        v->split_mask |= 1u << s->slot;
    }
    if ((s->flags & XEN_PERFCTR_SLOT_CREDIT) != 0) {
        v->credit_mask |= 1u << s->slot;
    }
    v->pmc_mask[s->pmc_class] |= 1ull << s->pmc;
    return pcx_slot_load(pcpu, v, slot);
}

/* All stops come before all starts: slots may have exchanged their counters. */
static int set_replace(struct pcx_pcpu *pcpu, struct pcx_vcpu *v,
                       const struct xen_perfctr_program *arg)
{
    uint64_t named_mask[XEN_PERFCTR_MAX_CLASSES] = {0};
    uint32_t stop_mask = v->live_mask;
    uint32_t i;
    int ret;

    for (i = 0; i < arg->nr; i++) {
        named_mask[arg->slot[i].pmc_class] |= 1ull << arg->slot[i].pmc;
        if (slot_goes_on(v, &arg->slot[i])) {
            stop_mask &= ~(1u << arg->slot[i].slot);
        }
    }
    ret = slots_stop(pcpu, v, stop_mask, named_mask);
    for (i = 0; i < arg->nr && ret == 0; i++) {
        if ((v->live_mask & (1u << arg->slot[i].slot)) == 0) {
            ret = slot_start(pcpu, v, &arg->slot[i]);
        }
    }
    return ret;
}

int pcx_vcpu_program(struct pcx_vcpu *v, const struct xen_perfctr_program *arg)
{
    unsigned long flags = pcx_port_irq_save();
    struct pcx_pcpu *pcpu = pcx_port_pcpu();
    int ret;

    pcx_page_write_begin(v);
    pcx_slots_book(v);
    ret = set_replace(pcpu, v, arg);
    if (ret != 0) {
        pcx_slots_drop(pcpu, v);
        pcx_rdpmc_follow(pcpu, v, v->rdpmc);
    }
    v->revoked_mask = 0;
    pcx_page_publish(v);
    pcx_page_write_end(v);
    pcx_port_irq_restore(flags);
    return ret;
}

void pcx_vcpu_sync(struct pcx_vcpu *v)
{
    unsigned long flags = pcx_port_irq_save();

    pcx_page_write_begin(v);
    pcx_slots_book(v);
    pcx_rdpmc_follow(pcx_port_pcpu(), v, true);
    pcx_page_publish(v);
    pcx_page_write_end(v);
    pcx_port_irq_restore(flags);
}
