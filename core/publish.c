/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a VCPU's pages. Nothing is ever read back from them.
 *
 * Contexts: interrupts off on the pcpu where the VCPU runs, or the VCPU runs nowhere. Locks: none,
 * because there is one writer; readers use the page's seq.
 */
#include "slot.h"

#define VERSION (XEN_PERFCTR_VERSION_MAJOR << 16 | XEN_PERFCTR_VERSION_MINOR)

void pcx_head_publish(struct pcx_vcpu *v)
{
    struct xen_perfctr_counter_page *page = v->page;

    page->mode = v->mode;
    page->flags = v->rdpmc ? XEN_PERFCTR_COUNTER_FLAG_RDPMC : 0;
    page->policy_gen = v->domain->policy_gen;
    page->tsc_sum = v->tsc_sum;
    page->tsc_start = v->tsc_start;
}

static void slot_publish(struct pcx_vcpu *v, uint32_t i)
{
    const struct pcx_slot *slot = &v->slot[i];
    struct xen_perfctr_counter_slot *to = &v->page->slot[i];

    pcx_slot_sums_publish(v, i);
    if ((v->live_mask & (1u << i)) == 0) {
        to->rdpmc = 0;
        to->flags = (v->revoked_mask & (1u << i)) != 0 ? XEN_PERFCTR_REVOKED : 0;
        to->width_bits = 0;
        return;
    }
    to->rdpmc = slot->rdpmc;
    to->width_bits = pcx_host.classes[slot->pmc_class].width_bits;
    to->flags = XEN_PERFCTR_LIVE | (slot->kind == XEN_PERFCTR_KIND_RAW ? XEN_PERFCTR_RAW : 0);
}

void pcx_page_publish(struct pcx_vcpu *v)
{
    uint32_t i;

    pcx_head_publish(v);
    for (i = 0; i < pcx_host.nr_slots; i++) {
        slot_publish(v, i);
    }
}

void pcx_pages_init(struct pcx_vcpu *v)
{
    struct xen_perfctr_counter_page *page = v->page;
    struct xen_perfctr_control_page *control = v->control;
    uint64_t fresh = pcx_port_now_ns() & ~1ull;
    uint32_t c;

    /* A reader frozen in its loop since before must not meet the seq that it started with. */
    v->seq = fresh > v->seq ? fresh : v->seq + 2;
    PCX_WRITE_ONCE(page->seq, v->seq + 1);
    PCX_BARRIER();
    page->version = VERSION;
    page->size_bytes = sizeof(*page);
    page->vcpu = v->vcpu;
    page->nr_slots = pcx_host.nr_slots;
    page->slot_offset_bytes = offsetof(struct xen_perfctr_counter_page, slot);
    page->slot_bytes = sizeof(page->slot[0]);
    for (c = 0; c < XEN_PERFCTR_MAX_CLASSES; c++) {
        page->avail_mask[c] = pcx_host.avail_mask[c];
    }
    control->version = VERSION;
    control->size_bytes = sizeof(*control);
    control->nr_ring = v->nr_ring;
    control->record_bytes = sizeof(struct xen_perfctr_record);
    pcx_page_publish(v);
    pcx_page_write_end(v);
}
