/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the core knows of a PMU: classes of counters as data, the rest as an ops table.
 *
 * A description is filled by probe() once at boot and constant from then on: no lock.
 */
#ifndef PCX_PMU_H
#define PCX_PMU_H

#include "port.h"

struct pcx_class {
    uint32_t nr_pmc; /* 0: class absent */
    uint32_t width_bits;
    uint32_t rdpmc_base;   /* ECX of counter 0 */
    uint32_t selector_msr; /* of counter 0 */
    uint32_t counter_msr;  /* of counter 0 */
    uint32_t msr_step;     /* from one counter's MSR to the next one's */
    uint64_t evtsel_mask;  /* bits a guest may set */
};

struct pcx_pmu_ops {
    const char *name;

    /* Is this the machine's PMU, and do its counters work? -ENODEV: no. BSP, interrupts on. */
    PCX_MUST_CHECK int (*probe)(struct pcx_class classes[XEN_PERFCTR_MAX_CLASSES]);

    /*
     * Disables and zeroes whatever RDPMC reaches and no class describes, and sets global enables.
     * The pcpu concerned, interrupts off.
     */
    PCX_MUST_CHECK int (*pcpu_scrub)(const struct pcx_class classes[XEN_PERFCTR_MAX_CLASSES]);

    /* What Xen adds to the selectors of a 64-bit PV guest. The pcpu concerned, interrupts off. */
    PCX_MUST_CHECK int (*selector_pv)(uint64_t *bits);

    /* 0, or -EACCES: evtsel is not on the list XEN_PERFCTR_ALLOW_*. Any context. */
    PCX_MUST_CHECK int (*event_check)(uint32_t pmc_class, uint64_t evtsel, uint32_t allow);

    uint32_t pmu; /* XEN_PERFCTR_PMU_* */
};

extern const struct pcx_pmu_ops pcx_amd_ops;

#endif
