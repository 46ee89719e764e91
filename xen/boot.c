/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line, and getting pcpus ready: at boot, at hotplug, each hour.
 *
 * Contexts: initcall; CPU notifier (CPU_STARTING on the new pcpu, interrupts
 * off); timer softirq. Locks: none, because a pcpu readies itself alone.
 */
#include <xen/cpu.h>
#include <xen/init.h>
#include <xen/lib.h>
#include <xen/param.h>
#include <xen/smp.h>
#include <xen/timer.h>

#include <asm/nmi.h>
#include <asm/vpmu.h>

#include "private.h"

/* 2^48 cycles, the soonest that a counter wraps, are 13 hours at 6 GHz. */
#define FOLD_PERIOD MILLISECS(3600 * 1000UL)

bool __read_mostly perfctr_ready;
unsigned int __read_mostly perfctr_status = XEN_PERFCTR_STATUS_OFF;

static bool __initdata opt_perfctr;
static struct pcx_policy __read_mostly policy_dom0 = {
    .level = XEN_PERFCTR_LEVEL_COUNT,
    .allow = XEN_PERFCTR_ALLOW_ALL,
};
static struct pcx_policy __read_mostly policy_domu = {
    .level = XEN_PERFCTR_LEVEL_COUNT,
    .allow = XEN_PERFCTR_ALLOW_SAFE,
};

static DEFINE_PER_CPU(struct timer, fold_timer);

struct pcx_policy perfctr_default_policy(const struct domain *d)
{
    return is_hardware_domain(d) ? policy_dom0 : policy_domu;
}

struct policy_name {
    char name[8];
    struct pcx_policy policy;
};

static const struct policy_name __initconst policies[] = {
    { "off", { XEN_PERFCTR_LEVEL_OFF, XEN_PERFCTR_ALLOW_ARCH } },
    { "arch", { XEN_PERFCTR_LEVEL_COUNT, XEN_PERFCTR_ALLOW_ARCH } },
    { "safe", { XEN_PERFCTR_LEVEL_COUNT, XEN_PERFCTR_ALLOW_SAFE } },
    { "all", { XEN_PERFCTR_LEVEL_COUNT, XEN_PERFCTR_ALLOW_ALL } },
};

static int __init policy_parse(const char *s, struct pcx_policy *policy)
{
    unsigned int i;

    for ( i = 0; i < ARRAY_SIZE(policies); i++ )
        if ( !cmdline_strcmp(s, policies[i].name) )
        {
            *policy = policies[i].policy;
            return 0;
        }

    return -EINVAL;
}

static int __init cf_check perfctr_parse(const char *s)
{
    const char *end;
    int rc = 0;

    opt_perfctr = true;

    do {
        int val;

        end = strchr(s, ',') ?: strchr(s, '\0');
        val = parse_bool(s, end);
        if ( val >= 0 )
            opt_perfctr = val;
        else if ( !strncmp(s, "dom0=", 5) )
            rc = policy_parse(s + 5, &policy_dom0) ?: rc;
        else if ( !strncmp(s, "domu=", 5) )
            rc = policy_parse(s + 5, &policy_domu) ?: rc;
        else if ( !strncmp(s, "below-wrap=", 11) )
            pcx_host.offset_start = -simple_strtoull(s + 11, NULL, 0);
        else if ( *s )
            rc = -EINVAL;

        s = end + 1;
    } while ( *end );

    return rc;
}
custom_param("perfctr", perfctr_parse);

static void cf_check fold(void *unused)
{
    pcx_pcpu_fold();
    set_timer(&this_cpu(fold_timer), NOW() + FOLD_PERIOD);
}

static void fold_start(unsigned int cpu)
{
    init_timer(&per_cpu(fold_timer, cpu), fold, NULL, cpu);
    set_timer(&per_cpu(fold_timer, cpu), NOW() + FOLD_PERIOD);
}

static void cf_check pcpu_start(void *unused)
{
    unsigned long flags;
    int rc;

    local_irq_save(flags);
    rc = pcx_pcpu_start(&this_cpu(perfctr_pcpu));
    local_irq_restore(flags);

    if ( rc )
        printk(XENLOG_WARNING "perfctr: cpu%u: counters not usable\n",
               smp_processor_id());
}

static int cf_check cpu_callback(struct notifier_block *nfb,
                                 unsigned long action, void *hcpu)
{
    unsigned int cpu = (unsigned long)hcpu;

    switch ( action )
    {
    case CPU_STARTING:
        pcpu_start(NULL);
        break;

    case CPU_ONLINE:
    case CPU_DOWN_FAILED:
        fold_start(cpu);
        break;

    case CPU_DOWN_PREPARE:
        kill_timer(&per_cpu(fold_timer, cpu));
        break;
    }

    return NOTIFY_DONE;
}

static struct notifier_block cpu_nfb = {
    .notifier_call = cpu_callback
};

static unsigned int __init status_find(const char **why)
{
    if ( vpmu_mode != XENPMU_MODE_OFF )
    {
        *why = "off: Xen's vPMU owns the counters (vpmu=)";
        return XEN_PERFCTR_STATUS_VPMU;
    }

    if ( opt_watchdog )
    {
        *why = "off: Xen's NMI watchdog owns a counter (watchdog)";
        return XEN_PERFCTR_STATUS_WATCHDOG;
    }

    if ( !compat_pmu_claim() || pcx_host_probe() )
    {
        *why = "off: no performance counters that Xen knows how to drive";
        return XEN_PERFCTR_STATUS_NO_PMU;
    }

    return XEN_PERFCTR_STATUS_READY;
}

/* After presmp initcalls: EFER.SVME, which selectors depend on, is final. */
static int __init cf_check perfctr_init(void)
{
    const char *why;
    unsigned int cpu;

    if ( !opt_perfctr )
        return 0;

    perfctr_status = status_find(&why);
    if ( perfctr_status != XEN_PERFCTR_STATUS_READY )
    {
        printk(XENLOG_WARNING "perfctr: %s\n", why);
        return 0;
    }

    on_each_cpu(pcpu_start, NULL, 1);
    for_each_online_cpu ( cpu )
        fold_start(cpu);
    register_cpu_notifier(&cpu_nfb);
    perfctr_ready = true;
    printk("perfctr: on: %s, %u counters\n", pcx_host.ops->name,
           pcx_host.nr_slots);

    return 0;
}
__initcall(perfctr_init);

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
