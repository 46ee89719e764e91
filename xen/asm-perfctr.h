/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asm/perfctr.h: what the rest of Xen calls. Each hook costs a test where nothing is registered.
 *
 * Contexts: as named per hook. Locks: see doc/concurrency.md.
 */
#ifndef ASM_X86_PERFCTR_H
#define ASM_X86_PERFCTR_H

#include <xen/sched.h>

/* The interface is usable on this machine: constant after boot. */
extern bool perfctr_ready;

void perfctr_vcpu_switch_out(struct vcpu *v);
void perfctr_vcpu_switch_in(struct vcpu *v);
void perfctr_vcpu_toggle(struct vcpu *v);
void perfctr_vcpu_emulated(struct vcpu *v);
unsigned long perfctr_vcpu_cr4(const struct vcpu *v);

/* context_switch(), v is leaving this pcpu; interrupts on. */
static inline void perfctr_switch_out(struct vcpu *v)
{
    if ( unlikely(v->arch.perfctr) )
        perfctr_vcpu_switch_out(v);
}

/* context_switch(), v, idle or not, is about to run on this pcpu; interrupts on. */
static inline void perfctr_switch_in(struct vcpu *v)
{
    if ( unlikely(perfctr_ready) )
        perfctr_vcpu_switch_in(v);
}

/* toggle_guest_mode(), after the change; interrupts on. */
static inline void perfctr_toggle(struct vcpu *v)
{
    if ( unlikely(v->arch.perfctr) )
        perfctr_vcpu_toggle(v);
}

/* An instruction was executed for v, a PV VCPU, which is current. */
static inline void perfctr_emulated(struct vcpu *v)
{
    if ( unlikely(v->arch.perfctr) )
        perfctr_vcpu_emulated(v);
}

/* Bits of the hardware's CR4 while v, a PV VCPU, runs. */
static inline unsigned long perfctr_cr4(const struct vcpu *v)
{
    return unlikely(v->arch.perfctr) ? perfctr_vcpu_cr4(v) : 0;
}

/* v is paused for good, or to be reset: drops its registration. Idempotent. */
void perfctr_vcpu_destroy(struct vcpu *v);

/* Nobody can name the domain any more. */
void perfctr_domain_destroy(struct domain *d);

/* The BSP is back from S3; interrupts off. */
void perfctr_resume(void);

#endif /* ASM_X86_PERFCTR_H */
