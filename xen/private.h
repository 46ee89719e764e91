/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the files of the glue, seen by nobody else.
 */
#ifndef X86_PERFCTR_PRIVATE_H
#define X86_PERFCTR_PRIVATE_H

#include <xen/percpu.h>
#include <xen/sched.h>

#include <asm/perfctr.h>

#include "compat.h"
#include "core/pcx.h"

DECLARE_PER_CPU(struct pcx_pcpu, perfctr_pcpu);

/* XEN_PERFCTR_STATUS_* of the machine: constant after boot. */
extern unsigned int perfctr_status;

/* What the command line lets a domain do. */
struct pcx_policy perfctr_default_policy(const struct domain *d);

static inline uint32_t perfctr_mode(const struct vcpu *v)
{
    return (v->arch.flags & TF_kernel_mode) ? XEN_PERFCTR_MODE_KERNEL
                                            : XEN_PERFCTR_MODE_USER;
}

#endif /* X86_PERFCTR_PRIVATE_H */
