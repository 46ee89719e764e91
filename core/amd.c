/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMU description: AMD and Hygon core counters with PerfCtrExtCore (family 15h and later).
 *
 * Contexts: probe at boot, scrub on its pcpu with interrupts off, checks anywhere. Locks: none,
 * because everything here is constant after probe.
 * Manual: AMD64 Architecture Programmer's Manual volume 2 (APM2), 13.2 "Performance Monitoring
 * Counters"; volume 3 appendix E for CPUID; Processor Programming Reference for Family 17h Models
 * 01h,08h (PPR17), 2.1.15 "Performance Monitor Counters".
 */
#include "pmu.h"

#define MSR_EFER 0xc0000080u
#define EFER_SVME (1ull << 12) /* APM2 3.1.7 */

#define MSR_PERF_CTL0 0xc0010200u /* APM2 13.2.1: CTL and CTR alternate */
#define MSR_PERF_CTR0 0xc0010201u
#define MSR_CH_L3_PMC_CFG0 0xc0010230u
#define MSR_NB_PERF_CTL0 0xc0010240u
#define MSR_PERF_CNTR_GLOBAL_CTL 0xc0000301u
#define MSR_STEP 2u

#define NR_PMC_EXT_CORE 6u /* APM2 13.2.1 */
#define WIDTH_BITS 48u     /* APM2 13.2.1 */

/* Fields of PERF_CTL, APM2 13.2.1. */
#define CTL_EVENT 0x0000000f000000ffull
#define CTL_UMASK 0x000000000000ff00ull
#define CTL_USR (1ull << 16)
#define CTL_EDGE (1ull << 18)
#define CTL_EN (1ull << 22)
#define CTL_INV (1ull << 23)
#define CTL_CMASK 0x00000000ff000000ull
#define CTL_HOST_ONLY (1ull << 41)

/* CPUID 8000_0001h ECX and 8000_0022h, APM3 E.4. */
#define CPUID_EXT_FEATURES 0x80000001u
#define ECX_PERF_CTR_EXT_CORE (1u << 23)
#define ECX_PERF_CTR_EXT_NB (1u << 24)
#define ECX_PERF_CTR_EXT_LLC (1u << 28)
#define CPUID_PERFMON 0x80000022u
#define EAX_PERFMON_V2 (1u << 0)

enum { EAX, EBX, ECX, EDX };

struct event_row {
    uint16_t first;
    uint16_t last;
    uint8_t umask_mask; /* unit mask bits permitted */
    uint8_t allow;      /* smallest XEN_PERFCTR_ALLOW_* that has it */
};

/*
 * Events that count what the hardware thread itself does. An event that can count the SMT sibling,
 * or that we have not looked up, is only in ALLOW_ALL. Sections of PPR17.
 */
static const struct event_row events[] = {
    {0x076, 0x076, 0x00, XEN_PERFCTR_ALLOW_ARCH}, /* 2.1.15.4.2 cycles not in halt */
    {0x0c0, 0x0c0, 0x00, XEN_PERFCTR_ALLOW_ARCH}, /* 2.1.15.4.5 retired instructions */
    {0x0c2, 0x0c4, 0x00, XEN_PERFCTR_ALLOW_ARCH}, /* 2.1.15.4.5 branches: all, missed, taken */
    {0x002, 0x005, 0xff, XEN_PERFCTR_ALLOW_SAFE}, /* 2.1.15.4.1 floating point, retired */
    {0x024, 0x025, 0xff, XEN_PERFCTR_ALLOW_SAFE}, /* 2.1.15.4.2 store forwarding, locks */
    {0x029, 0x029, 0xff, XEN_PERFCTR_ALLOW_SAFE}, /* 2.1.15.4.2 load and store dispatch */
    {0x035, 0x035, 0xff, XEN_PERFCTR_ALLOW_SAFE}, /* 2.1.15.4.2 store to load forward */
    {0x040, 0x047, 0xff, XEN_PERFCTR_ALLOW_SAFE}, /* 2.1.15.4.2 data cache, DTLB, alignment */
    {0x04b, 0x04b, 0xff, XEN_PERFCTR_ALLOW_SAFE}, /* 2.1.15.4.2 prefetch instructions */
    {0x052, 0x052, 0xff, XEN_PERFCTR_ALLOW_SAFE}, /* 2.1.15.4.2 ineffective prefetches */
    {0x059, 0x05a, 0xff, XEN_PERFCTR_ALLOW_SAFE}, /* 2.1.15.4.2 prefetches to the data cache */
    {0x060, 0x060, 0xff, XEN_PERFCTR_ALLOW_SAFE}, /* 2.1.15.4.6 requests to the L2 */
    {0x064, 0x064, 0xff, XEN_PERFCTR_ALLOW_SAFE}, /* 2.1.15.4.6 their outcome */
    {0x080, 0x087, 0xff, XEN_PERFCTR_ALLOW_SAFE}, /* 2.1.15.4.3 instruction cache, ITLB, stalls */
    {0x08a, 0x08b, 0xff, XEN_PERFCTR_ALLOW_SAFE}, /* 2.1.15.4.3 branch prediction overrides */
    {0x08e, 0x08e, 0xff, XEN_PERFCTR_ALLOW_SAFE}, /* 2.1.15.4.3 indirect target predictions */
    {0x094, 0x094, 0xff, XEN_PERFCTR_ALLOW_SAFE}, /* 2.1.15.4.3 ITLB hits */
    {0x0a9, 0x0aa, 0xff, XEN_PERFCTR_ALLOW_SAFE}, /* 2.1.15.4.4 micro-op queue, dispatch */
    {0x0ae, 0x0af, 0xff, XEN_PERFCTR_ALLOW_SAFE}, /* 2.1.15.4.4 dispatch stalls by token */
    {0x0c0, 0x0cb, 0xff, XEN_PERFCTR_ALLOW_SAFE}, /* 2.1.15.4.5 retirement */
    {0x0d1, 0x0d3, 0xff, XEN_PERFCTR_ALLOW_SAFE}, /* 2.1.15.4.5 conditional branches, divider */
    {0x1c7, 0x1c7, 0xff, XEN_PERFCTR_ALLOW_SAFE}, /* 2.1.15.4.5 mispredicted taken branches */
};

/* What no guest may have. */
static const struct event_row denied[] = {
    {0xfff, 0xfff, 0xff, XEN_PERFCTR_ALLOW_ALL}, /* PPR17 2.1.15.3: fuses two counters */
};

/* The table of safe events holds from family 17h on. Written by probe. */
static bool table_applies;

static uint32_t family_read(void)
{
    uint32_t regs[4];
    uint32_t base;

    pcx_port_cpuid(1, 0, regs);
    base = (regs[EAX] >> 8) & 0xf;
    return base == 0xf ? base + ((regs[EAX] >> 20) & 0xff) : base;
}

static bool vendor_matches(void)
{
    uint32_t regs[4];

    pcx_port_cpuid(0, 0, regs);
    return (regs[EBX] == 0x68747541 && regs[EDX] == 0x69746e65 && regs[ECX] == 0x444d4163) ||
           (regs[EBX] == 0x6f677948 && regs[EDX] == 0x6e65476e && regs[ECX] == 0x656e6975);
}

static uint32_t ext_features_read(void)
{
    uint32_t regs[4];

    pcx_port_cpuid(0x80000000u, 0, regs);
    if (regs[EAX] < CPUID_EXT_FEATURES) {
        return 0;
    }
    pcx_port_cpuid(CPUID_EXT_FEATURES, 0, regs);
    return regs[ECX];
}

/* Numbers of core and northbridge counters; true: they have a common enable. */
static bool perfmon_v2_read(uint32_t *nr_core, uint32_t *nr_nb)
{
    uint32_t regs[4];

    *nr_core = NR_PMC_EXT_CORE;
    *nr_nb = 4; /* APM2 13.2.2 */
    pcx_port_cpuid(0x80000000u, 0, regs);
    if (regs[EAX] < CPUID_PERFMON) {
        return false;
    }
    pcx_port_cpuid(CPUID_PERFMON, 0, regs);
    if ((regs[EAX] & EAX_PERFMON_V2) == 0) {
        return false;
    }
    *nr_core = regs[EBX] & 0xf;
    *nr_nb = (regs[EBX] >> 10) & 0x3f;
    return true;
}

/* A hypervisor below us may show the CPUID bit and swallow the writes. */
static bool counter_works(void)
{
    const uint64_t pattern = 0x5a5aa5a5c3c3ull;
    uint64_t value;

    if (pcx_port_wrmsr_safe(MSR_PERF_CTL0, 0) != 0 ||
        pcx_port_wrmsr_safe(MSR_PERF_CTR0, pattern) != 0 ||
        pcx_port_rdmsr_safe(MSR_PERF_CTR0, &value) != 0 || value != pattern) {
        return false;
    }
    return pcx_port_rdpmc(0) == pattern && pcx_port_wrmsr_safe(MSR_PERF_CTR0, 0) == 0;
}

static PCX_INDIRECT int probe(struct pcx_class classes[XEN_PERFCTR_MAX_CLASSES])
{
    struct pcx_class *core = &classes[XEN_PERFCTR_CLASS_CORE];
    uint32_t nr_core, nr_nb;

    if (!vendor_matches() || (ext_features_read() & ECX_PERF_CTR_EXT_CORE) == 0) {
        return -PCX_ENODEV;
    }
    perfmon_v2_read(&nr_core, &nr_nb);
    if (nr_core == 0 || nr_core > NR_PMC_EXT_CORE || !counter_works()) {
        return -PCX_ENODEV;
    }
    table_applies = family_read() >= 0x17;
    core->nr_pmc = nr_core;
    core->width_bits = WIDTH_BITS;
    core->rdpmc_base = 0;
    core->selector_msr = MSR_PERF_CTL0;
    core->counter_msr = MSR_PERF_CTR0;
    core->msr_step = MSR_STEP;
    core->evtsel_mask = CTL_EVENT | CTL_UMASK | CTL_EDGE | CTL_INV | CTL_CMASK;
    return 0;
}

static int range_clear(uint32_t ctl0, uint32_t nr)
{
    uint32_t i;

    for (i = 0; i < nr * MSR_STEP; i++) {
        if (pcx_port_wrmsr_safe(ctl0 + i, 0) != 0) {
            return -PCX_EIO;
        }
    }
    return 0;
}

static PCX_INDIRECT int pcpu_scrub(const struct pcx_class classes[XEN_PERFCTR_MAX_CLASSES])
{
    uint32_t features = ext_features_read();
    uint32_t nr_core, nr_nb;
    bool global = perfmon_v2_read(&nr_core, &nr_nb);

    /* RDPMC reaches these too (APM3, RDPMC); they are shared by cores and no guest's business. */
    if ((features & ECX_PERF_CTR_EXT_NB) != 0 && range_clear(MSR_NB_PERF_CTL0, nr_nb) != 0) {
        return -PCX_EIO;
    }
    /* Family 16h has 4 counters there, of the L2. */
    if ((features & ECX_PERF_CTR_EXT_LLC) != 0 &&
        range_clear(MSR_CH_L3_PMC_CFG0, family_read() < 0x17 ? 4 : 6) != 0) {
        return -PCX_EIO;
    }
    if (global) {
        uint64_t all = (1ull << classes[XEN_PERFCTR_CLASS_CORE].nr_pmc) - 1;

        return pcx_port_wrmsr_safe(MSR_PERF_CNTR_GLOBAL_CTL, all);
    }
    return 0;
}

static PCX_INDIRECT int selector_pv(uint64_t *bits)
{
    uint64_t efer;
    int ret = pcx_port_rdmsr_safe(MSR_EFER, &efer);

    if (ret != 0) {
        return ret;
    }
    /*
     * Guests of both modes run in ring 3 and Xen in ring 0. HostOnly keeps the counter still in
     * HVM guests; without SVME a counter that has it does not count at all (APM2 13.2.1).
     */
    *bits = CTL_USR | CTL_EN | ((efer & EFER_SVME) != 0 ? CTL_HOST_ONLY : 0);
    return 0;
}

static bool row_has(const struct event_row *row, uint32_t event, uint32_t umask)
{
    return event >= row->first && event <= row->last && (umask & ~(uint32_t)row->umask_mask) == 0;
}

static PCX_INDIRECT int event_check(uint32_t pmc_class, uint64_t evtsel, uint32_t allow)
{
    uint32_t event = (uint32_t)(evtsel & 0xff) | (uint32_t)((evtsel >> 24) & 0xf00);
    uint32_t umask = (uint32_t)((evtsel >> 8) & 0xff);
    size_t i;

    (void)pmc_class;
    for (i = 0; i < sizeof(denied) / sizeof(denied[0]); i++) {
        if (row_has(&denied[i], event, umask)) {
            return -PCX_EACCES;
        }
    }
    if (allow == XEN_PERFCTR_ALLOW_ALL) {
        return 0;
    }
    for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        bool known = events[i].allow == XEN_PERFCTR_ALLOW_ARCH || table_applies;

        if (known && events[i].allow <= allow && row_has(&events[i], event, umask)) {
            return 0;
        }
    }
    return -PCX_EACCES;
}

const struct pcx_pmu_ops pcx_amd_ops = {
    .name = "AMD core",
    .pmu = XEN_PERFCTR_PMU_AMD_CORE,
    .probe = probe,
    .pcpu_scrub = pcpu_scrub,
    .selector_pv = selector_pv,
    .event_check = event_check,
};
