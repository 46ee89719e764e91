// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pages of each VCPU: allocation, and registration across CPU hotplug and resume.
 *
 * Contexts: hotplug callbacks in process context, the online one on its own CPU; the resume
 * callback by IPI. Locks: none, the hotplug core runs one callback at a time, and between online
 * and dead a VCPU's state belongs to that VCPU.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpuhotplug.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include <asm/xen/page.h>
#include <xen/xen-ops.h>

#include "compat.h"
#include "hypercall.h"
#include "module.h"

static DEFINE_PER_CPU(struct px_vcpu *, vcpus);
static enum cpuhp_state state_prepare, state_online;
/* Called on a VCPU that is registered anew, interrupts off: all its slots are free. */
static void (*vcpu_registered)(struct px_vcpu *v);

/* On the VCPU, interrupts off; never NULL on an online CPU while the PMU is registered. */
struct px_vcpu *px_vcpu_this(void)
{
	return this_cpu_read(vcpus);
}

/* Of any possible CPU: to be looked at only, or NULL. */
struct px_vcpu *px_vcpu_of(unsigned int cpu)
{
	return per_cpu(vcpus, cpu);
}

/* Counters that a set may name now; a hint: program has the last word. */
u32 px_vcpu_avail_mask(const struct px_vcpu *v)
{
	return READ_ONCE(v->page->avail_mask[XEN_PERFCTR_CLASS_CORE]);
}

/* Give this VCPU's pages to Xen, also again: then with a fresh page and nothing loaded. */
static int vcpu_register(struct px_vcpu *v)
{
	struct xen_perfctr_register arg = {
		.vcpu = xen_vcpu_nr(smp_processor_id()),
		.counter_gfn = virt_to_gfn(v->page),
		.control_gfn = virt_to_gfn(v->control),
	};
	int rc = px_hypercall(XEN_PERFCTR_OP_register, &arg);

	v->registered = !rc;
	px_set_lost(&v->set);
	return rc;
}

/* The VCPU itself, or another while it is down. */
static int vcpu_unregister(struct px_vcpu *v, unsigned int cpu)
{
	struct xen_perfctr_unregister arg = { .vcpu = xen_vcpu_nr(cpu) };
	int rc;

	if (!v->registered)
		return 0;
	rc = px_hypercall(XEN_PERFCTR_OP_unregister, &arg);
	if (!rc)
		v->registered = false;
	px_set_lost(&v->set);
	return rc;
}

static void vcpu_free(struct px_vcpu *v)
{
	irq_work_sync(&v->refused_work);
	free_page((unsigned long)v->control);
	free_page((unsigned long)v->page);
	kfree(v);
}

/*
 * Before a CPU comes up for the first time. Memory is kept while the CPU is off, because perf may
 * still use the state when the CPU has gone, and Xen the pages until unregister.
 */
static int vcpu_prepare(unsigned int cpu)
{
	struct px_vcpu *v;

	if (per_cpu(vcpus, cpu))
		return 0;
	v = kzalloc(sizeof(*v), GFP_KERNEL);
	if (!v)
		return -ENOMEM;
	v->page = (void *)get_zeroed_page(GFP_KERNEL);
	v->control = (void *)get_zeroed_page(GFP_KERNEL);
	if (!v->page || !v->control) {
		vcpu_free(v);
		return -ENOMEM;
	}
	init_irq_work(&v->refused_work, px_pmu_refused_print);
	per_cpu(vcpus, cpu) = v;
	return 0;
}

/* On the CPU, before it takes tasks. A CPU that cannot count does not come up. */
static int vcpu_online(unsigned int cpu)
{
	unsigned long flags;
	int rc;

	local_irq_save(flags);
	rc = vcpu_register(px_vcpu_this());
	/* perf is up on this CPU already: events may run on what was registered before. */
	if (!rc)
		vcpu_registered(px_vcpu_this());
	local_irq_restore(flags);
	if (rc)
		pr_err("cpu %u: hypervisor: register refused: %d\n", cpu, rc);
	/* A policy that was changed to off must not keep processors from coming up. */
	return rc == -EPERM ? 0 : rc;
}

/* After the CPU is dead: perf has taken its events off, and its VCPU is down. */
static int vcpu_dead(unsigned int cpu)
{
	int rc = vcpu_unregister(per_cpu(vcpus, cpu), cpu);

	if (rc)
		pr_warn("cpu %u: hypervisor: unregister refused: %d\n", cpu, rc);
	return 0;
}

static void resume_this(void *unused)
{
	struct px_vcpu *v = px_vcpu_this();

	if (!v)
		return;
	if (vcpu_register(v))
		pr_warn("resume: hypervisor: register refused\n");
	vcpu_registered(v);
}

/* After a resume, on another host perhaps: Xen has never seen this domain, or dropped all slots. */
static int resume_notify(struct notifier_block *block, unsigned long action, void *data)
{
	on_each_cpu(resume_this, NULL, 1);
	return NOTIFY_OK;
}

static struct notifier_block resume_block = { .notifier_call = resume_notify };

static void unregister_this(void *unused)
{
	struct px_vcpu *v = px_vcpu_this();

	if (v && vcpu_unregister(v, smp_processor_id()))
		pr_warn("hypervisor: unregister refused\n");
}

static void vcpus_free(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct px_vcpu *v = per_cpu(vcpus, cpu);

		/* Xen still writes the pages of a VCPU it did not unregister: leak them. */
		if (v && !v->registered)
			vcpu_free(v);
		per_cpu(vcpus, cpu) = NULL;
	}
}

/* Register all VCPUs that are up, and from now on every one that comes up. */
int px_page_setup(void (*registered)(struct px_vcpu *v))
{
	int rc;

	vcpu_registered = registered;
	rc = cpuhp_setup_state(CPUHP_BP_PREPARE_DYN, "perfctr_xen:prepare", vcpu_prepare,
			       vcpu_dead);
	if (rc < 0)
		goto free;
	state_prepare = rc;
	rc = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perfctr_xen:online", vcpu_online, NULL);
	if (rc < 0)
		goto remove;
	state_online = rc;
	return 0;
remove:
	on_each_cpu(unregister_this, NULL, 1);
	cpuhp_remove_state_nocalls(state_prepare);
free:
	vcpus_free();
	return rc;
}

/* Last in loading: what failed later could not leave the chain again, see compat.h. */
void px_page_resume_watch(void)
{
	xen_resume_notifier_register(&resume_block);
}

void px_page_resume_unwatch(void)
{
	px_compat_resume_unregister(&resume_block);
}

/* After the PMU has gone. */
void px_page_teardown(void)
{
	cpuhp_remove_state_nocalls(state_online);
	on_each_cpu(unregister_this, NULL, 1);
	cpuhp_remove_state_nocalls(state_prepare);
	vcpus_free();
}
