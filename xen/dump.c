/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Debug key 'E': what the counters hold and who is registered.
 *
 * Contexts: key handler, softirq. Locks: a domain's lock, only tried; numbers
 * of VCPUs that run meanwhile are snapshots.
 */
#include <xen/init.h>
#include <xen/keyhandler.h>
#include <xen/lib.h>

#include "private.h"

static void pcpu_dump(unsigned int cpu)
{
    const struct pcx_pcpu *pcpu = &per_cpu(perfctr_pcpu, cpu);
    const struct pcx_vcpu *running = ACCESS_ONCE(pcpu->running);
    unsigned int c, pmc;

    printk("  pcpu%u:%s%s refused %"PRIu64"\n", cpu,
           pcpu->started ? "" : " unusable", running ? " counting" : "",
           pcpu->nr_refused);
    for ( c = 0; c < XEN_PERFCTR_MAX_CLASSES; c++ )
        for ( pmc = 0; pmc < pcx_host.classes[c].nr_pmc; pmc++ )
            if ( pcpu->dirty_mask[c] & (1ULL << pmc) )
                printk("    class %u pmc %u: owner %"PRIx64"\n", c, pmc,
                       pcpu->owner[c][pmc]);
}

static void vcpu_dump(const struct vcpu *v)
{
    const struct pcx_vcpu *p = v->arch.perfctr;
    unsigned int i;

    printk("  %pv: frame %"PRIx64" seq %"PRIx64" %s rdpmc %d\n", v,
           p->counter_frame.gfn, p->seq, p->mode ? "kernel" : "user",
           p->rdpmc);
    for ( i = 0; i < pcx_host.nr_slots; i++ )
    {
        const struct pcx_slot *s = &p->slot[i];

        if ( p->live_mask & (1U << i) )
            printk("    slot %u: class %u pmc %u kind %u flags %x evtsel %"
                   PRIx64" user %"PRIu64" kernel %"PRIu64" start %"PRIx64"\n",
                   i, s->pmc_class, s->pmc, s->kind, s->flags, s->evtsel,
                   s->sum[XEN_PERFCTR_MODE_USER],
                   s->sum[XEN_PERFCTR_MODE_KERNEL], s->start);
    }
}

static void cf_check dump(unsigned char key)
{
    struct domain *d;
    struct vcpu *v;
    unsigned int cpu;

    printk("'%c' pressed -> performance counters (status %u)\n", key,
           perfctr_status);
    if ( !perfctr_ready )
        return;

    for_each_online_cpu ( cpu )
        pcpu_dump(cpu);

    rcu_read_lock(&domlist_read_lock);
    for_each_domain ( d )
    {
        if ( !d->arch.perfctr )
            continue;

        printk("  d%d: incarnation %"PRIx64" level %u allow %u\n",
               d->domain_id, d->arch.perfctr->incarnation,
               d->arch.perfctr->policy.level, d->arch.perfctr->policy.allow);
        if ( !spin_trylock_recursive(&d->domain_lock) )
        {
            printk("  d%d: busy\n", d->domain_id);
            continue;
        }
        for_each_vcpu ( d, v )
            if ( v->arch.perfctr )
                vcpu_dump(v);
        spin_unlock_recursive(&d->domain_lock);
    }
    rcu_read_unlock(&domlist_read_lock);
}

static int __init cf_check dump_init(void)
{
    register_keyhandler('E', dump, "dump performance counters", 1);

    return 0;
}
__initcall(dump_init);

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
