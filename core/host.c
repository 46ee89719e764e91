/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine as a whole: finding its PMU, clearing a pcpu, and answering query.
 *
 * Contexts: probe at boot; start on its pcpu with interrupts off; the rest anywhere. Locks: none,
 * because pcx_host is constant after boot and a pcpu's state has one writer.
 */
#include "slot.h"

struct pcx_host pcx_host;

static const struct pcx_pmu_ops *const descriptions[] = {
    &pcx_amd_ops,
};

int pcx_host_probe(void)
{
    uint32_t i, c;

    for (i = 0; i < sizeof(descriptions) / sizeof(descriptions[0]); i++) {
        if (descriptions[i]->probe(pcx_host.classes) == 0) {
            break;
        }
    }
    if (i == sizeof(descriptions) / sizeof(descriptions[0])) {
        return -PCX_ENODEV;
    }
    pcx_host.ops = descriptions[i];
    pcx_host.nr_slots = 0;
    for (c = 0; c < XEN_PERFCTR_MAX_CLASSES; c++) {
        pcx_host.avail_mask[c] = pcx_mask_low(pcx_host.classes[c].nr_pmc);
        pcx_host.nr_slots += pcx_host.classes[c].nr_pmc;
    }
    return pcx_host.nr_slots <= XEN_PERFCTR_MAX_SLOTS ? 0 : -PCX_ENODEV;
}

int pcx_pcpu_start(struct pcx_pcpu *pcpu)
{
    bool clean = true;
    uint32_t c, pmc;

    pcpu->running = NULL;
    for (c = 0; c < XEN_PERFCTR_MAX_CLASSES; c++) {
        for (pmc = 0; pmc < pcx_host.classes[c].nr_pmc; pmc++) {
            clean &= pcx_pmc_scrub(pcpu, c, pmc) == 0;
        }
    }
    pcpu->started = clean && pcx_host.ops->pcpu_scrub(pcx_host.classes) == 0 &&
                    pcx_host.ops->selector_pv(&pcpu->selector_pv) == 0;
    return pcpu->started ? 0 : -PCX_EIO;
}

void pcx_pcpu_fold(void)
{
    unsigned long flags = pcx_port_irq_save();
    struct pcx_vcpu *v = pcx_port_pcpu()->running;

    if (v != NULL) {
        pcx_page_write_begin(v);
        pcx_slots_book(v);
        pcx_page_publish(v);
        pcx_page_write_end(v);
    }
    pcx_port_irq_restore(flags);
}

void pcx_query_fill(const struct pcx_domain *domain, uint32_t status,
                    struct xen_perfctr_query *query)
{
    uint32_t c;

    *query = (struct xen_perfctr_query){
        .magic = XEN_PERFCTR_MAGIC,
        .major = XEN_PERFCTR_VERSION_MAJOR,
        .minor = XEN_PERFCTR_VERSION_MINOR,
        .status = status,
    };
    if (status != XEN_PERFCTR_STATUS_READY) {
        return;
    }
    query->pmu = pcx_host.ops->pmu;
    query->features =
        XEN_PERFCTR_FEATURE_SPLIT | XEN_PERFCTR_FEATURE_RAW | XEN_PERFCTR_FEATURE_CREDIT;
    query->nr_slots = pcx_host.nr_slots;
    query->level = domain->policy.level;
    query->allow = domain->policy.allow;
    query->policy_gen = domain->policy_gen;
    for (c = 0; c < XEN_PERFCTR_MAX_CLASSES; c++) {
        query->classes[c].nr_pmc = pcx_host.classes[c].nr_pmc;
        query->classes[c].width_bits = pcx_host.classes[c].width_bits;
        query->classes[c].rdpmc_base = pcx_host.classes[c].rdpmc_base;
        query->classes[c].evtsel_mask = pcx_host.classes[c].evtsel_mask;
    }
}
