// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opening an event: what is refused, and with which errno, before anything counts.
 *
 * Contexts: process context of the opener, of a fork, or of a kernel user; may sleep. The core has
 * locked the context of the group's leader. Locks: none of our own, the set is private.
 */
#include <linux/errno.h>
#include <linux/perf_event.h>
#include <linux/perf_regs.h>
#include <linux/slab.h>

#include "hypercall.h"
#include "module.h"

/*
 * For what is not to be had here: generic events as on a processor that has none, so that perf goes
 * on without, or falls back to a clock.
 */
static int errno_unsupported(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_RAW ? -EOPNOTSUPP : -ENOENT;
}

/* Collect the selector of one event of a group; nr counts events. */
static int group_collect(struct px_set *set, struct perf_event *event, unsigned int *nr)
{
	/* Of whichever VCPU this runs on: a session of the host narrows all alike. */
	u32 avail_mask = px_vcpu_avail_mask(px_vcpu_this());

	if (event->pmu != &px_pmu)
		return 0;
	if (++*nr > PX_MAX_EVENTS)
		return -EINVAL;
	if (px_set_get(set, event->hw.config, avail_mask) < 0)
		return -EINVAL;
	return 0;
}

/* Can the group be on the counters at once? The leader's context is locked by the core. */
static int group_assign(struct px_set *set, struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned int nr = 0;
	int rc;

	rc = group_collect(set, event, &nr);
	if (rc || leader == event)
		return rc;
	rc = group_collect(set, leader, &nr);
	if (rc)
		return rc;
	for_each_sibling_event(sibling, leader) {
		if (sibling->state <= PERF_EVENT_STATE_OFF)
			continue;
		rc = group_collect(set, sibling, &nr);
		if (rc)
			return rc;
	}
	return 0;
}

/*
 * Ask Xen as well, so that what it refuses fails at open. An event that the domain may not count is
 * one that it does not have: for these two perf would count nothing at all and blame
 * perf_event_paranoid, which is not the reason.
 */
static int group_validate(struct perf_event *event)
{
	struct {
		struct px_set set;
		struct xen_perfctr_program program;
	} *scratch;
	int rc;

	scratch = kzalloc(sizeof(*scratch), GFP_KERNEL);
	if (!scratch)
		return -ENOMEM;
	rc = group_assign(&scratch->set, event);
	if (!rc) {
		px_set_describe(&scratch->set, &scratch->program);
		rc = px_hypercall(XEN_PERFCTR_OP_check, &scratch->program);
		if (rc == -EACCES || rc == -EPERM)
			rc = errno_unsupported(&event->attr);
	}
	kfree(scratch);
	return rc;
}

static void event_destroy(struct perf_event *event)
{
	px_inuse_put(event->hw.config);
}

/*
 * What the native driver refuses before it looks at the event, on a processor without IBS and LBR;
 * order and errno are its own (arch/x86/events, amd_pmu_hw_config() and x86_pmu_hw_config()).
 */
static int attr_check(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (has_branch_stack(event) || attr->precise_ip)
		return -EOPNOTSUPP;
	if ((attr->sample_regs_user | attr->sample_regs_intr) & PERF_REG_EXTENDED_MASK)
		return -EINVAL;
	return 0;
}

int px_event_init(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;
	struct hw_perf_event *hwc = &event->hw;
	int rc;

	if (attr->type != PERF_TYPE_RAW && attr->type != PERF_TYPE_HARDWARE &&
	    attr->type != PERF_TYPE_HW_CACHE)
		return -ENOENT;
	rc = attr_check(event);
	if (rc)
		return rc;
	rc = px_events_evtsel(attr, &hwc->config);
	if (rc)
		return rc;
	/* That needs an interrupt. */
	if (is_sampling_event(event))
		return errno_unsupported(attr);
	/* A PV kernel has no guests: what counts in them alone is 0, as natively without any. */
	if (attr->exclude_host) {
		attr->exclude_user = 1;
		attr->exclude_kernel = 1;
	}
	hwc->idx = -1;
	/* The core divides by the period even where no sample is taken. */
	hwc->sample_period = (1ULL << 47) - 1;
	hwc->last_period = hwc->sample_period;
	local64_set(&hwc->period_left, hwc->sample_period);
	/* An inherited event is a copy of one that has passed. */
	rc = event->parent ? 0 : group_validate(event);
	if (!rc)
		rc = px_inuse_get(hwc->config);
	if (!rc)
		event->destroy = event_destroy;
	return rc;
}
