// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading: take the place of the kernel's PMU driver where it is empty and Xen can fill it, or say
 * in one line which layer is in the way.
 *
 * Contexts: module init and exit, process context. Locks: none, nothing runs before init or after
 * exit.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include <xen/xen.h>

#include "compat.h"
#include "hypercall.h"
#include "module.h"

struct xen_perfctr_query px_query;

unsigned int px_nr_slots;

static int __init refuse(int rc, const char *why)
{
	pr_err("not loaded: %s\n", why);
	return rc;
}

/* The first hypercall must not be made anywhere else: there may be no hypervisor to take it. */
static int __init guest_check(void)
{
	if (!xen_domain())
		return refuse(-ENODEV, "this is not a Xen guest");
	if (!xen_pv_domain())
		return refuse(-EOPNOTSUPP, "this is an HVM or PVH guest, only PV is supported yet");
	return 0;
}

struct refusal {
	int rc;
	const char *why;
};

/* By XEN_PERFCTR_STATUS_* */
static const struct refusal refusals[] __initconst = {
	[XEN_PERFCTR_STATUS_OFF] = {
		-ENODEV, "hypervisor: perfctr= is not on its command line" },
	[XEN_PERFCTR_STATUS_VPMU] = {
		-EBUSY, "hypervisor: its vPMU owns the counters (vpmu=)" },
	[XEN_PERFCTR_STATUS_WATCHDOG] = {
		-EBUSY, "hypervisor: its NMI watchdog owns a counter (watchdog)" },
	[XEN_PERFCTR_STATUS_NO_PMU] = {
		-ENODEV, "hypervisor: it knows no counters on this machine" },
	[XEN_PERFCTR_STATUS_GUEST] = {
		-EOPNOTSUPP, "hypervisor: it does not serve this kind of guest" },
};

static int __init offer_check(void)
{
	int rc = px_hypercall(XEN_PERFCTR_OP_query, &px_query);

	if (rc == -EACCES)
		return refuse(rc, "hypervisor: its security policy (XSM) forbids it");
	if (rc || px_query.magic != XEN_PERFCTR_MAGIC)
		return refuse(-ENODEV, "hypervisor: it is not a Perfctr-Xen build");
	if (px_query.major != XEN_PERFCTR_VERSION_MAJOR)
		return refuse(-EPROTO, "hypervisor: its interface has another major version");
	if (px_query.status != XEN_PERFCTR_STATUS_READY) {
		if (px_query.status >= ARRAY_SIZE(refusals))
			return refuse(-ENODEV, "hypervisor: not ready, for a reason new to me");
		return refuse(refusals[px_query.status].rc, refusals[px_query.status].why);
	}
	if (px_query.level == XEN_PERFCTR_LEVEL_OFF)
		return refuse(-EPERM, "policy: counting is off for this domain");
	if (px_query.pmu != XEN_PERFCTR_PMU_AMD_CORE)
		return refuse(-ENODEV, "module: it does not know this kind of counters");
	/* A slot per counter is all that the assigner uses. */
	px_nr_slots = min3(px_query.nr_slots, px_query.classes[XEN_PERFCTR_CLASS_CORE].nr_pmc,
			   (u32)XEN_PERFCTR_MAX_SLOTS);
	if (!(px_query.features & XEN_PERFCTR_FEATURE_SPLIT) || !px_nr_slots)
		return refuse(-EOPNOTSUPP, "hypervisor: it does not split user and kernel");
	return 0;
}

/*
 * perf_pmu_register() does not fail where the type is taken: it hands out another one and goes on.
 * So ask for a hardware event first: -ENOENT says that nobody serves them.
 */
static int __init place_check(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.size = sizeof(attr),
		.disabled = 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	if (PTR_ERR(event) == -ENOENT)
		return 0;
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
	return refuse(-EBUSY, "kernel: it has a PMU driver already (native, or of a vPMU)");
}

static int __init perfctr_xen_init(void)
{
	int rc;

	rc = guest_check();
	if (!rc)
		rc = offer_check();
	if (!rc)
		rc = place_check();
	if (!rc)
		rc = px_events_setup();
	if (rc)
		return rc;
	rc = px_page_setup(px_pmu_restart);
	if (rc) {
		pr_err("not loaded: no pages registered: %d\n", rc);
		return rc;
	}
	rc = perf_pmu_register(&px_pmu, "cpu", PERF_TYPE_RAW);
	if (rc) {
		px_page_teardown();
		pr_err("not loaded: kernel: perf_pmu_register: %d\n", rc);
		return rc;
	}
	px_compat_pin();
	px_page_resume_watch();
	pr_info("%u counters of %u bits, user and kernel split exactly\n", px_nr_slots,
		px_query.classes[XEN_PERFCTR_CLASS_CORE].width_bits);
	return 0;
}

static void __exit perfctr_xen_exit(void)
{
	perf_pmu_unregister(&px_pmu);
	px_page_resume_unwatch();
	px_page_teardown();
}

module_init(perfctr_xen_init);
module_exit(perfctr_xen_exit);
MODULE_DESCRIPTION("Hardware performance counters for a Xen guest, by Perfctr-Xen");
MODULE_LICENSE("GPL");
