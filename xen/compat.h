/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that differs between versions of Xen.
 */
#ifndef X86_PERFCTR_COMPAT_H
#define X86_PERFCTR_COMPAT_H

#include <xen/xenoprof.h>

#include <asm/msr.h>

/* Xenoprof, where there is one, drives the same counters. True: it will not. */
static inline bool compat_pmu_claim(void)
{
    return acquire_pmu_ownership(PMU_OWNER_HVM);
}

/* A macro with an output operand here, a function elsewhere. */
static inline int compat_rdmsr_safe(unsigned int msr, uint64_t *val)
{
    return rdmsr_safe(msr, *val);
}

#endif /* X86_PERFCTR_COMPAT_H */
