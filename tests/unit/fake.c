/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The port of the core on a made-up machine. See fake.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "soft.h"

#define MSR_EFER 0xc0000080u
#define EFER_SVME (1ull << 12)

/* Of AMD's selector; the soft PMU has the same. */
#define SEL_USR (1ull << 16)
#define SEL_OS (1ull << 17)
#define SEL_EN (1ull << 22)

struct fake_pcpu fake_pcpus[FAKE_NR_PCPUS];
uint32_t fake_pcpu;
uint64_t fake_life;
uint64_t fake_tsc;
uint32_t fake_cpuid_family;
uint32_t fake_cpuid_ecx;
bool fake_cpuid_intel;
bool fake_cpuid_perfmon_v2;
bool fake_counters_dead;
uint64_t fake_fail_at;
uint64_t fake_fail_more;
uint64_t fake_failed;
void (*fake_interrupt)(void);
uint64_t fake_nr_wrmsr;
int64_t fake_nr_memory;
bool fake_gfn_bad[FAKE_NR_GFNS];

static void *frames[FAKE_NR_GFNS];
static uint32_t irq_off_depth;

static void bug(const char *what)
{
    printf("not ok - the core's use of its port: %s\n", what);
    abort();
}

static void port_call(void)
{
    if (fake_interrupt != NULL) {
        fake_interrupt();
    }
}

static bool injected(void)
{
    if (fake_fail_at == 0 || --fake_fail_at != 0) {
        return false;
    }
    fake_failed++;
    if (fake_fail_more != 0) {
        fake_fail_more--;
        fake_fail_at = 1;
    }
    return true;
}

static uint64_t *msr_place(uint32_t pcpu, uint32_t msr)
{
    struct fake_pcpu *p = &fake_pcpus[pcpu];
    uint32_t i;

    for (i = 0; i < p->nr_msrs; i++) {
        if (p->msr[i] == msr) {
            return &p->msr_value[i];
        }
    }
    if (p->nr_msrs == FAKE_NR_MSRS) {
        bug("more MSRs than any PMU has");
    }
    p->msr[p->nr_msrs] = msr;
    p->msr_value[p->nr_msrs] = msr == MSR_EFER ? EFER_SVME : 0xbad000000ull + msr % 4096;
    return &p->msr_value[p->nr_msrs++];
}

static uint64_t width_mask(uint32_t pmc_class)
{
    return (1ull << pcx_host.classes[pmc_class].width_bits) - 1;
}

static bool msr_is(uint32_t msr, uint32_t first, const struct pcx_class *class, uint32_t *pmc)
{
    if (class->nr_pmc == 0 || msr < first || (msr - first) % class->msr_step != 0) {
        return false;
    }
    *pmc = (msr - first) / class->msr_step;
    return *pmc < class->nr_pmc;
}

static void msr_written(uint32_t msr, uint64_t value)
{
    uint32_t c, pmc;

    fake_nr_wrmsr++;
    for (c = 0; c < XEN_PERFCTR_MAX_CLASSES; c++) {
        const struct pcx_class *class = &pcx_host.classes[c];

        if (msr_is(msr, class->counter_msr, class, &pmc)) {
            fake_pcpus[fake_pcpu].source[c][pmc].value = value == 0 ? FAKE_NOBODY : fake_life;
        } else if (msr_is(msr, class->selector_msr, class, &pmc)) {
            fake_pcpus[fake_pcpu].source[c][pmc].selector = value == 0 ? FAKE_NOBODY : fake_life;
        }
    }
}

uint64_t pcx_port_rdpmc(uint32_t ecx)
{
    uint32_t c;

    port_call();
    if (pcx_host.ops == NULL) { /* the probe */
        return *msr_place(fake_pcpu, 0xc0010201u + 2 * ecx);
    }
    for (c = 0; c < XEN_PERFCTR_MAX_CLASSES; c++) {
        if (ecx - pcx_host.classes[c].rdpmc_base < pcx_host.classes[c].nr_pmc) {
            return fake_counter(fake_pcpu, c, ecx - pcx_host.classes[c].rdpmc_base);
        }
    }
    bug("RDPMC of a counter that does not exist");
    return 0;
}

int pcx_port_rdmsr_safe(uint32_t msr, uint64_t *value)
{
    port_call();
    if (injected()) {
        return -PCX_EIO;
    }
    *value = *msr_place(fake_pcpu, msr);
    return 0;
}

int pcx_port_wrmsr_safe(uint32_t msr, uint64_t value)
{
    port_call();
    if (injected()) {
        return -PCX_EIO;
    }
    if (!fake_counters_dead) {
        *msr_place(fake_pcpu, msr) = value;
        msr_written(msr, value);
    }
    return 0;
}

void pcx_port_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    static const uint32_t vendor[2][3] = {{0x68747541, 0x444d4163, 0x69746e65},
                                          {0x756e6547, 0x6c65746e, 0x49656e69}};

    (void)subleaf;
    memset(regs, 0, 4 * sizeof(regs[0]));
    switch (leaf) {
    case 0:
        memcpy(&regs[1], vendor[fake_cpuid_intel], sizeof(vendor[0]));
        break;
    case 1:
        regs[0] = fake_cpuid_family < 0xf ? fake_cpuid_family << 8
                                          : 0xf00 | (fake_cpuid_family - 0xf) << 20;
        break;
    case 0x80000000u:
        regs[0] = fake_cpuid_perfmon_v2 ? 0x80000022u : 0x8000001fu;
        break;
    case 0x80000001u:
        regs[2] = fake_cpuid_ecx;
        break;
    case 0x80000022u:
        regs[0] = 1;
        regs[1] = 6 | 16 << 10;
        break;
    }
}

uint64_t pcx_port_tsc(void)
{
    port_call();
    return ++fake_tsc;
}

struct pcx_pcpu *pcx_port_pcpu(void)
{
    port_call();
    return &fake_pcpus[fake_pcpu].core;
}

unsigned long pcx_port_irq_save(void)
{
    port_call();
    return irq_off_depth++;
}

void pcx_port_irq_restore(unsigned long flags)
{
    port_call();
    if (irq_off_depth == 0 || --irq_off_depth != flags) {
        bug("interrupts restored out of order");
    }
}

uint64_t pcx_port_now_ns(void)
{
    port_call();
    return fake_tsc += 2;
}

uint32_t pcx_port_index_nospec(uint32_t index, uint32_t size)
{
    if (index >= size) {
        bug("index_nospec before the bound was checked");
    }
    return index;
}

void pcx_port_rdpmc_gate_write(bool open)
{
    port_call();
    if (irq_off_depth == 0) {
        bug("RDPMC opened or closed with interrupts on");
    }
    fake_pcpus[fake_pcpu].gate = open;
}

void *pcx_port_alloc(size_t size_bytes)
{
    void *memory;

    port_call();
    if (irq_off_depth != 0) {
        bug("allocation with interrupts off");
    }
    memory = injected() ? NULL : calloc(1, size_bytes);
    fake_nr_memory += memory != NULL;
    return memory;
}

void pcx_port_free(void *memory)
{
    port_call();
    fake_nr_memory -= memory != NULL;
    free(memory);
}

int pcx_port_frame_map(void *domain, uint64_t gfn, struct pcx_frame *frame)
{
    (void)domain;
    port_call();
    if (irq_off_depth != 0) {
        bug("a frame mapped with interrupts off");
    }
    if (injected()) {
        return -PCX_ENOMEM;
    }
    if (gfn >= FAKE_NR_GFNS || fake_gfn_bad[gfn]) {
        return -PCX_ENXIO;
    }
    frame->gfn = gfn;
    frame->va = fake_frame(gfn);
    fake_nr_memory++;
    return 0;
}

void pcx_port_frame_unmap(struct pcx_frame *frame)
{
    port_call();
    frame->va = NULL;
    fake_nr_memory--;
}

void *fake_frame(uint64_t gfn)
{
    if (frames[gfn] == NULL) {
        frames[gfn] = malloc(XEN_PERFCTR_PAGE_BYTES);
        memset(frames[gfn], 0x5a, XEN_PERFCTR_PAGE_BYTES);
    }
    return frames[gfn];
}

void fake_reset(void)
{
    uint32_t i;

    for (i = 0; i < FAKE_NR_GFNS; i++) {
        free(frames[i]);
        frames[i] = NULL;
    }
    memset(fake_pcpus, 0, sizeof(fake_pcpus));
    memset(fake_gfn_bad, 0, sizeof(fake_gfn_bad));
    memset(&pcx_host, 0, sizeof(pcx_host));
    fake_pcpu = 0;
    fake_life = FAKE_MANY;
    fake_tsc = 1000;
    fake_cpuid_family = 0x17;
    fake_cpuid_ecx = 1u << 23;
    fake_cpuid_intel = false;
    fake_cpuid_perfmon_v2 = false;
    fake_counters_dead = false;
    fake_fail_at = 0;
    fake_fail_more = 0;
    fake_failed = 0;
    fake_interrupt = NULL;
    fake_nr_wrmsr = 0;
    fake_nr_memory = 0;
    irq_off_depth = 0;
}

static void sources_unknown(void)
{
    uint32_t p, c, pmc;

    for (p = 0; p < FAKE_NR_PCPUS; p++) {
        for (c = 0; c < XEN_PERFCTR_MAX_CLASSES; c++) {
            for (pmc = 0; pmc < XEN_PERFCTR_MAX_SLOTS; pmc++) {
                fake_pcpus[p].source[c][pmc] = (struct fake_source){FAKE_MANY, FAKE_MANY};
            }
        }
    }
}

bool fake_amd(void)
{
    bool found = pcx_host_probe() == 0;

    sources_unknown();
    return found;
}

void fake_soft(void)
{
    uint32_t c;

    pcx_host.ops = &soft_ops;
    soft_classes_fill(pcx_host.classes);
    for (c = 0; c < XEN_PERFCTR_MAX_CLASSES; c++) {
        pcx_host.avail_mask[c] = (1ull << pcx_host.classes[c].nr_pmc) - 1;
        pcx_host.nr_slots += pcx_host.classes[c].nr_pmc;
    }
    sources_unknown();
}

void fake_run(uint64_t evtsel, uint64_t n)
{
    uint32_t c, pmc;

    for (c = 0; c < XEN_PERFCTR_MAX_CLASSES; c++) {
        const struct pcx_class *class = &pcx_host.classes[c];

        for (pmc = 0; pmc < class->nr_pmc; pmc++) {
            uint64_t sel = fake_msr(fake_pcpu, class->selector_msr + pmc * class->msr_step);
            uint64_t *counter = msr_place(fake_pcpu, class->counter_msr + pmc * class->msr_step);
            struct fake_source *source = &fake_pcpus[fake_pcpu].source[c][pmc];

            if ((sel & SEL_OS) != 0) {
                bug("a selector that counts Xen");
            }
            if ((sel & (SEL_EN | SEL_USR)) == (SEL_EN | SEL_USR) &&
                (sel & class->evtsel_mask) == evtsel) {
                *counter = (*counter + n) & width_mask(c);
                source->value = source->value == FAKE_NOBODY || source->value == fake_life
                                    ? fake_life
                                    : FAKE_MANY;
            }
        }
    }
}

uint64_t fake_counter(uint32_t pcpu, uint32_t pmc_class, uint32_t pmc)
{
    const struct pcx_class *class = &pcx_host.classes[pmc_class];

    return fake_msr(pcpu, class->counter_msr + pmc * class->msr_step) & width_mask(pmc_class);
}

uint64_t fake_msr(uint32_t pcpu, uint32_t msr)
{
    return *msr_place(pcpu, msr);
}
