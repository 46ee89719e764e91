/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine for the core to run on: pcpus with MSRs that count, a guest's frames, and ways to make
 * each port call fail or be interrupted. One thread; "the calling pcpu" is a variable.
 */
#ifndef TESTS_UNIT_FAKE_H
#define TESTS_UNIT_FAKE_H

#include <stdint.h>

#include "../../core/pcx.h"

#define FAKE_NR_PCPUS 3
#define FAKE_NR_GFNS 512
#define FAKE_NR_MSRS 96

#define FAKE_NOBODY 0ull /* life of a counter that is zero and has counted nothing */
#define FAKE_MANY ~0ull  /* more than one life */

/* Where a counter's selector and value come from: lives of VCPUs, see fake_life. */
struct fake_source {
    uint64_t selector;
    uint64_t value;
};

struct fake_pcpu {
    struct pcx_pcpu core;
    uint32_t msr[FAKE_NR_MSRS];
    uint64_t msr_value[FAKE_NR_MSRS];
    uint32_t nr_msrs;
    bool gate; /* RDPMC is open to what runs here */
    struct fake_source source[XEN_PERFCTR_MAX_CLASSES][XEN_PERFCTR_MAX_SLOTS];
};

extern struct fake_pcpu fake_pcpus[FAKE_NR_PCPUS];
extern uint32_t fake_pcpu; /* the calling one */
extern uint64_t fake_life; /* VCPU on whose behalf the core is called, in its life */
extern uint64_t fake_tsc;  /* advances with every read */
extern uint32_t fake_cpuid_family;
extern uint32_t fake_cpuid_ecx; /* of leaf 8000_0001h */
extern bool fake_cpuid_intel;
extern bool fake_cpuid_perfmon_v2;
extern bool fake_counters_dead; /* writes to counters are swallowed */

/* The nth call from now that can fail does, and fake_fail_more after it; 0: none. */
extern uint64_t fake_fail_at;
extern uint64_t fake_fail_more;
extern uint64_t fake_failed; /* how many did */
/* Called at each port call, as an interrupt that comes there would be. */
extern void (*fake_interrupt)(void);

extern uint64_t fake_nr_wrmsr; /* writes to counters and selectors */
extern int64_t fake_nr_memory; /* allocations and mapped frames outstanding */
extern bool fake_gfn_bad[FAKE_NR_GFNS];

/* Everything as at power-on, with rubbish in the counters. */
void fake_reset(void);
/* The PMU: of AMD by the real description, or tests/unit/soft.c. False: not found. */
bool fake_amd(void);
void fake_soft(void);

/* Guest code of fake_life runs on the calling pcpu and causes n of the event evtsel. */
void fake_run(uint64_t evtsel, uint64_t n);
/* RDPMC and MSR reads by the test itself. */
uint64_t fake_counter(uint32_t pcpu, uint32_t pmc_class, uint32_t pmc);
uint64_t fake_msr(uint32_t pcpu, uint32_t msr);
/* What the guest finds in its frame. */
void *fake_frame(uint64_t gfn);

#endif
