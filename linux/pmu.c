// SPDX-License-Identifier: GPL-2.0-only
/*
 * The perf PMU: what the perf core asks of a counter.
 *
 * An event's prev_count is always V, the 64-bit value of its slot for its mode, never a register.
 * pmu_disable opens a section in which all events use one snapshot; pmu_enable closes it: one
 * program call if Xen does not count what is wanted, then one snapshot for all events that start.
 * A slot whose events leave goes on counting, for the next thread that wants the same: what it
 * counted in between is nobody's, because every start begins at V.
 * Contexts: on the event's CPU with interrupts off, under perf's context lock or in its IPI. There
 * is no NMI in a PV guest. Locks: none, see module.h. Opening an event is in open.c.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/perf_event.h>
#include <linux/printk.h>

#include "compat.h"
#include "hypercall.h"
#include "module.h"

/* hw.state: stopped, and pmu_enable is to start it. The bit is there for the driver's own use. */
#define STATE_PENDING PERF_HES_ARCH

static bool event_is_running(const struct perf_event *event)
{
	return !(event->hw.state & PERF_HES_STOPPED);
}

static bool event_counts_kernel(const struct perf_event *event)
{
	return !event->attr.exclude_kernel;
}

static u64 event_value(const struct px_snapshot *snap, const struct perf_event *event)
{
	u64 value = 0;

	if (!event->attr.exclude_user)
		value += snap->sum[XEN_PERFCTR_MODE_USER][event->hw.idx];
	if (!event->attr.exclude_kernel)
		value += snap->sum[XEN_PERFCTR_MODE_KERNEL][event->hw.idx];
	return value;
}

static bool event_is_live(const struct px_snapshot *snap, const struct perf_event *event)
{
	return snap->live_mask & BIT(event->hw.idx);
}

/* Printing may wake a task: not under the scheduler's lock, where perf calls us. */
void px_pmu_refused_print(struct irq_work *work)
{
	const struct px_vcpu *v = container_of(work, struct px_vcpu, refused_work);

	pr_warn_ratelimited("hypervisor: counting refused: %d, events of one VCPU disabled\n",
			    v->refused_rc);
}

/*
 * Xen does not count what is wanted here (any more). A count must not stand still while its time
 * runs on, so all events of this VCPU are disabled as soon as interrupts are on again, and none
 * may come in before they have gone.
 */
static void vcpu_refuse(struct px_vcpu *v, int rc)
{
	unsigned int i;

	if (v->refused || !v->nr_events)
		return;
	v->refused = true;
	v->refused_rc = rc;
	irq_work_queue(&v->refused_work);
	for (i = 0; i < v->nr_events; i++)
		px_compat_event_disable(v->event[i]);
}

/* V of all slots now, or as first asked for in this section. */
static const struct px_snapshot *vcpu_snapshot(struct px_vcpu *v)
{
	bool shared = v->disabled || v->reading;

	if (!shared || !v->snap_valid) {
		px_snapshot_take(v, v->nr_kernel != 0);
		v->snap_valid = shared;
	}
	return &v->snap;
}

/* Bring count up to date. */
static void event_fold(struct px_vcpu *v, struct perf_event *event)
{
	const struct px_snapshot *snap = vcpu_snapshot(v);
	u64 value;

	if (!event_is_live(snap, event)) {
		vcpu_refuse(v, -EPERM);
		return;
	}
	value = event_value(snap, event);
	local64_add(value - local64_read(&event->hw.prev_count), &event->count);
	local64_set(&event->hw.prev_count, value);
}

static bool pending_counts_kernel(const struct px_vcpu *v)
{
	unsigned int i;

	for (i = 0; i < v->nr_events; i++) {
		const struct perf_event *event = v->event[i];

		if ((event->hw.state & STATE_PENDING) && event_counts_kernel(event))
			return true;
	}
	return false;
}

/* Start all events that wait for it, from one snapshot. A program call leaves the page synced. */
static void vcpu_start_pending(struct px_vcpu *v, bool synced)
{
	unsigned int i;

	px_snapshot_take(v, !synced && pending_counts_kernel(v));
	for (i = 0; i < v->nr_events; i++) {
		struct perf_event *event = v->event[i];

		if (!(event->hw.state & STATE_PENDING))
			continue;
		if (!event_is_live(&v->snap, event)) {
			vcpu_refuse(v, -EPERM);
			return;
		}
		event->hw.state = 0;
		local64_set(&event->hw.prev_count, event_value(&v->snap, event));
		v->nr_kernel += event_counts_kernel(event);
		v->nr_pending--;
		perf_event_update_userpage(event);
	}
}

/*
 * Make Xen count what is wanted. After an error the old set goes on, so that its events keep their
 * counts until they are taken off; -EIO alone has freed it.
 */
static int vcpu_program(struct px_vcpu *v)
{
	int rc;

	px_set_describe(&v->set, &v->program);
	rc = px_hypercall(XEN_PERFCTR_OP_program, &v->program);
	if (!rc)
		px_set_loaded(&v->set);
	else if (rc == -EIO)
		px_set_lost(&v->set);
	return rc;
}

static bool slot_runs_events(const struct px_vcpu *v, unsigned int slot)
{
	unsigned int i;

	for (i = 0; i < v->nr_events; i++) {
		if (v->event[i]->hw.idx == (int)slot && event_is_running(v->event[i]))
			return true;
	}
	return false;
}

/*
 * See which slots Xen has stopped since they were loaded (a policy that changed): programming them
 * again would start them at 0 behind the back of the events that count from what they had. Without
 * such events the slot is free. False: events had to be refused.
 */
static bool vcpu_accept_losses(struct px_vcpu *v)
{
	unsigned int i;

	for (i = 0; i < px_nr_slots; i++) {
		struct px_slot *slot = &v->set.slot[i];

		if (!slot->loaded || (READ_ONCE(v->page->slot[i].flags) & XEN_PERFCTR_LIVE))
			continue;
		if (slot_runs_events(v, i)) {
			vcpu_refuse(v, -EPERM);
			return false;
		}
		slot->loaded = false;
	}
	return true;
}

static void vcpu_apply(struct px_vcpu *v)
{
	bool private = px_rdpmc_follow(v);
	bool changed;

	if (!vcpu_accept_losses(v))
		return;
	changed = px_set_changed(&v->set, private || PX_EAGER);

	if (changed) {
		int rc = vcpu_program(v);

		if (rc) {
			vcpu_refuse(v, rc);
			return;
		}
	}
	if (v->nr_pending)
		vcpu_start_pending(v, changed);
}

static void pmu_disable(struct pmu *pmu)
{
	struct px_vcpu *v = px_vcpu_this();

	v->disabled = true;
	v->snap_valid = false;
}

static void pmu_enable(struct pmu *pmu)
{
	struct px_vcpu *v = px_vcpu_this();

	v->disabled = false;
	v->snap_valid = false;
	if (!v->refused)
		vcpu_apply(v);
}

/*
 * A group is read from one snapshot. A group is added within a disabled section that the core has
 * open already, so that needs nothing here.
 */
static void pmu_start_txn(struct pmu *pmu, unsigned int flags)
{
	struct px_vcpu *v = px_vcpu_this();

	if (!(flags & PERF_PMU_TXN_READ))
		return;
	v->reading = true;
	if (!v->disabled)
		v->snap_valid = false;
}

static void pmu_cancel_txn(struct pmu *pmu)
{
	px_vcpu_this()->reading = false;
}

static int pmu_commit_txn(struct pmu *pmu)
{
	pmu_cancel_txn(pmu);
	return 0;
}

static void event_start(struct perf_event *event, int flags)
{
	struct px_vcpu *v = px_vcpu_this();

	if (event_is_running(event) || (event->hw.state & STATE_PENDING))
		return;
	event->hw.state |= STATE_PENDING;
	v->nr_pending++;
	if (!v->disabled && !v->refused)
		vcpu_apply(v);
}

static void event_stop(struct perf_event *event, int flags)
{
	struct px_vcpu *v = px_vcpu_this();

	if (event_is_running(event)) {
		event_fold(v, event);
		v->nr_kernel -= event_counts_kernel(event);
	} else if (event->hw.state & STATE_PENDING) {
		v->nr_pending--;
	}
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	perf_event_update_userpage(event);
}

/* The user page needs no update here: del() left it without an index, and starting writes it. */
static int event_add(struct perf_event *event, int flags)
{
	struct px_vcpu *v = px_vcpu_this();
	int slot;

	if (!v->registered || v->refused || v->nr_events == PX_MAX_EVENTS)
		return -EAGAIN;
	slot = px_set_get(&v->set, event->hw.config, px_vcpu_avail_mask(v));
	if (slot < 0)
		return slot;
	event->hw.idx = slot;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	v->event[v->nr_events++] = event;
	if (flags & PERF_EF_START)
		event_start(event, flags);
	return 0;
}

static void event_del(struct perf_event *event, int flags)
{
	struct px_vcpu *v = px_vcpu_this();
	unsigned int i;

	event_stop(event, flags);
	px_set_put(&v->set, event->hw.idx);
	event->hw.idx = -1;
	for (i = 0; i < v->nr_events; i++) {
		if (v->event[i] == event)
			break;
	}
	v->event[i] = v->event[--v->nr_events];
	if (!v->nr_events)
		v->refused = false;
}

static void event_read(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	struct px_vcpu *v = px_vcpu_this();

	if (leader->pmu == &px_pmu) {
		if (event_is_running(event))
			event_fold(v, event);
		return;
	}
	/*
	 * The core opens a read transaction with the leader's PMU only and then reads one event
	 * after the other: bring all up to date each time, so that the last read makes them agree.
	 */
	pmu_start_txn(&px_pmu, PERF_PMU_TXN_READ);
	for_each_sibling_event(sibling, leader) {
		if (sibling->pmu == &px_pmu && event_is_running(sibling))
			event_fold(v, sibling);
	}
	pmu_commit_txn(&px_pmu);
}

/*
 * The registration of this VCPU is new and all its slots are free: begin again with every event
 * that ran. What was counted after its last fold is lost; nothing is counted twice.
 */
void px_pmu_restart(struct px_vcpu *v)
{
	unsigned int i;

	for (i = 0; i < v->nr_events; i++) {
		struct perf_event *event = v->event[i];

		if (!event_is_running(event))
			continue;
		event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE | STATE_PENDING;
		v->nr_pending++;
	}
	v->nr_kernel = 0;
	if (!v->refused)
		vcpu_apply(v);
}

/* Look again at what the events on this VCPU need. */
void px_pmu_refresh(struct px_vcpu *v)
{
	if (v->registered && !v->refused)
		vcpu_apply(v);
}

/* Nobody has an event with this selector any more. */
void px_pmu_unload(struct px_vcpu *v, u64 evtsel)
{
	int rc;

	if (v->refused || !vcpu_accept_losses(v) || px_set_surplus(&v->set, evtsel) < 0)
		return;
	rc = vcpu_program(v);
	if (rc)
		vcpu_refuse(v, rc);
}

struct pmu px_pmu = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_hw_context,
	.capabilities = PX_COMPAT_CAPABILITIES,
	.attr_groups = px_sysfs_groups,
	.event_init = px_event_init,
	.pmu_enable = pmu_enable,
	.pmu_disable = pmu_disable,
	.add = event_add,
	.del = event_del,
	.start = event_start,
	.stop = event_stop,
	.read = event_read,
	.start_txn = pmu_start_txn,
	.commit_txn = pmu_commit_txn,
	.cancel_txn = pmu_cancel_txn,
	.event_mapped = px_rdpmc_mapped,
	.event_unmapped = px_rdpmc_unmapped,
};
