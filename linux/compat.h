/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every difference between kernel versions that this module knows; nothing else may test a version.
 *
 * Contexts, locks: those of the callers.
 */
#ifndef PX_COMPAT_H
#define PX_COMPAT_H

#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/version.h>

#include <xen/xen-ops.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "Linux 6.1 or later is needed"
#endif

/*
 * Need: register a PMU with perf_hw_context although the kernel has once had one. Before 6.2
 * perf_pmu_register() lets only the first such PMU have it, even where the registration failed
 * later, and turns the context of the next silently into "no task context"; this capability is the
 * only way past it.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define PX_COMPAT_CAPABILITIES PERF_PMU_CAP_HETEROGENEOUS_CPUS
#else
#define PX_COMPAT_CAPABILITIES 0
#endif

/*
 * Need: unload. Before 6.2 a task's context keeps a pointer to the PMU longer than its events live,
 * and every switch of that task follows it; from 6.17 on nobody can leave the chain of resume
 * notifiers again. So once registered the module has to stay.
 */
#define PX_COMPAT_STAYS \
	(LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0) || \
	 LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0))

static inline void px_compat_pin(void)
{
#if PX_COMPAT_STAYS
	__module_get(THIS_MODULE);
#endif
}

/* Leave the chain of resume notifiers, from module exit: never called where the module stays. */
static inline void px_compat_resume_unregister(struct notifier_block *block)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
	xen_resume_notifier_unregister(block);
#endif
}

/*
 * Need: disable an active event of this CPU from a section with interrupts off. That is the core's
 * perf_event_disable_inatomic(), which is not exported; the core waits for the irq_work before it
 * frees the event.
 */
static inline void px_compat_event_disable(struct perf_event *event)
{
	event->pending_disable = 1;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
	irq_work_queue(&event->pending_irq);
#else
	irq_work_queue(&event->pending_disable_irq);
#endif
}

#endif
