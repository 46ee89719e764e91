/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * See soft.h. Selectors look like AMD's; event 0 is architectural, 1 safe, the rest for all.
 */
#include "soft.h"

void soft_classes_fill(struct pcx_class classes[XEN_PERFCTR_MAX_CLASSES])
{
    classes[XEN_PERFCTR_CLASS_CORE] = (struct pcx_class){
        .nr_pmc = 3,
        .width_bits = 40,
        .rdpmc_base = 0,
        .selector_msr = 0x186,
        .counter_msr = 0x4c1,
        .msr_step = 1,
        .evtsel_mask = 0xffff,
    };
    classes[XEN_PERFCTR_CLASS_FIXED] = (struct pcx_class){
        .nr_pmc = 5,
        .width_bits = 63,
        .rdpmc_base = 0x40000000,
        .selector_msr = 0x800,
        .counter_msr = 0x803,
        .msr_step = 6,
        .evtsel_mask = 0xff,
    };
}

static int probe(struct pcx_class classes[XEN_PERFCTR_MAX_CLASSES])
{
    soft_classes_fill(classes);
    return 0;
}

static int pcpu_scrub(const struct pcx_class classes[XEN_PERFCTR_MAX_CLASSES])
{
    (void)classes;
    return 0;
}

static int selector_pv(uint64_t *bits)
{
    *bits = 1ull << 16 | 1ull << 22;
    return 0;
}

static int event_check(uint32_t pmc_class, uint64_t evtsel, uint32_t allow)
{
    (void)pmc_class;
    return (evtsel & 0xff) <= allow || allow == XEN_PERFCTR_ALLOW_ALL ? 0 : -PCX_EACCES;
}

const struct pcx_pmu_ops soft_ops = {
    .name = "soft",
    .pmu = XEN_PERFCTR_PMU_SOFT,
    .probe = probe,
    .pcpu_scrub = pcpu_scrub,
    .selector_pv = selector_pv,
    .event_check = event_check,
};
