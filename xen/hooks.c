/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The slow halves of the hooks in asm/perfctr.h: from struct vcpu to the core.
 *
 * Contexts: VCPU switch, mode change, emulation, teardown, resume; interrupts
 * on but for resume. Locks: none for what belongs to the running VCPU;
 * the domain's lock for dropping a registration.
 */
#include "private.h"

void perfctr_vcpu_switch_out(struct vcpu *v)
{
    pcx_vcpu_switch_out(v->arch.perfctr);
}

void perfctr_vcpu_switch_in(struct vcpu *v)
{
    const struct pcx_domain *domain = v->domain->arch.perfctr;

    /* Idle runs in ring 0 only, which is never counted. */
    if ( is_idle_vcpu(v) )
        return;

    if ( v->arch.perfctr )
        pcx_vcpu_switch_in(v->arch.perfctr, perfctr_mode(v));
    else
        /* Nothing intercepts RDPMC of an HVM guest; PV has CR4.PCE clear. */
        pcx_other_switch_in(domain ? domain->incarnation : PCX_OWNER_NONE,
                            is_hvm_vcpu(v));
}

void perfctr_vcpu_toggle(struct vcpu *v)
{
    pcx_vcpu_toggle(v->arch.perfctr, perfctr_mode(v));
}

void perfctr_vcpu_emulated(struct vcpu *v)
{
    pcx_vcpu_credit(v->arch.perfctr);
}

unsigned long perfctr_vcpu_cr4(const struct vcpu *v)
{
    return v->arch.perfctr->rdpmc ? X86_CR4_PCE : 0;
}

void perfctr_vcpu_destroy(struct vcpu *v)
{
    if ( !v->arch.perfctr )
        return;

    domain_lock(v->domain);
    pcx_vcpu_unregister(v == current, &v->arch.perfctr);
    domain_unlock(v->domain);
}

void perfctr_domain_destroy(struct domain *d)
{
    XFREE(d->arch.perfctr);
}

void perfctr_resume(void)
{
    if ( perfctr_ready && pcx_pcpu_start(&this_cpu(perfctr_pcpu)) )
        printk(XENLOG_WARNING "perfctr: cpu%u: counters not usable\n",
               smp_processor_id());
}

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
