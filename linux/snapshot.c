// SPDX-License-Identifier: GPL-2.0-only
/*
 * Snapshots: V of all slots of this VCPU at one point, from its counter page.
 *
 * Contexts: on the VCPU with interrupts off. Locks: none, see module.h.
 */
#include <linux/bits.h>

#include <asm/asm.h>
#include <asm/barrier.h>

#include "hypercall.h"
#include "module.h"

/*
 * Copies of a page before giving up. Xen writes a page only while its VCPU is in Xen, so a copy
 * by the VCPU itself is spoilt at most once per interruption by Xen; many in a row are a fault.
 */
#define SNAPSHOT_TRIES 100

/*
 * RDPMC with a way back: Xen closes it without asking where a counter could not be cleared.
 * Not rdpmcl(), which a PV kernel turns into a trap.
 */
static bool rdpmc_try(u32 ecx, u64 *value)
{
	u32 low = 0, high = 0;
	bool done = false;

	asm volatile("1: rdpmc\n\t"
		     "movb $1, %0\n"
		     "2:\n"
		     _ASM_EXTABLE(1b, 2b)
		     : "+q"(done), "+a"(low), "+d"(high)
		     : "c"(ecx));
	*value = (u64)high << 32 | low;
	return done;
}

/* What a slot has counted since Xen last booked it, in the mode that runs: kernel. */
static bool slot_delta(const struct xen_perfctr_counter_slot *slot, u64 *delta)
{
	u64 mask = GENMASK_ULL(READ_ONCE(slot->width_bits) - 1, 0);
	u64 raw;

	if (!rdpmc_try(READ_ONCE(slot->rdpmc), &raw))
		return false;
	*delta = (raw - READ_ONCE(slot->start)) & mask;
	return true;
}

/* Copy sums and states; true if Xen did not write meanwhile and no RDPMC was refused. */
static bool snapshot_try(struct px_vcpu *v, bool rdpmc)
{
	const struct xen_perfctr_counter_page *page = v->page;
	struct px_snapshot *snap = &v->snap;
	u64 seq = READ_ONCE(page->seq);
	unsigned int i;

	/*
	 * Parties: Xen's publish on this VCPU, and this copy. Both run on the same pcpu in program
	 * order as seen by each other, so only the compiler must be held back.
	 */
	barrier();
	snap->live_mask = 0;
	for (i = 0; i < px_nr_slots; i++) {
		const struct xen_perfctr_counter_slot *slot = &page->slot[i];
		u64 delta = 0;

		if (!(READ_ONCE(slot->flags) & XEN_PERFCTR_LIVE))
			continue;
		if (rdpmc && !slot_delta(slot, &delta))
			return false;
		snap->live_mask |= BIT(i);
		snap->sum[XEN_PERFCTR_MODE_USER][i] = READ_ONCE(slot->sum_user);
		snap->sum[XEN_PERFCTR_MODE_KERNEL][i] = READ_ONCE(slot->sum_kernel) + delta;
	}
	barrier();
	return !(seq & 1) && READ_ONCE(page->seq) == seq;
}

static bool rdpmc_is_open(const struct px_vcpu *v)
{
	return READ_ONCE(v->page->flags) & XEN_PERFCTR_COUNTER_FLAG_RDPMC;
}

static bool snapshot_copy(struct px_vcpu *v, bool rdpmc)
{
	unsigned int tries;

	for (tries = 0; tries < SNAPSHOT_TRIES; tries++) {
		if (snapshot_try(v, rdpmc))
			return true;
		if (rdpmc && !rdpmc_is_open(v))
			break;
	}
	v->snap.live_mask = 0;
	return false;
}

/*
 * Copy V of all slots at one point, of the kernel sums as well or of the user sums alone. In
 * kernel mode the user sums on the page are exact as they stand. Kernel sums are as old as the last
 * booking: RDPMC brings them up to now; where it is closed, a sync, which opens it until the next
 * change to user mode. So a switch of threads costs one call and not two. On failure no slot of the
 * copy is live.
 */
void px_snapshot_take(struct px_vcpu *v, bool kernel)
{
	if (kernel) {
		if (!PX_EAGER && rdpmc_is_open(v) && snapshot_copy(v, true))
			return;
		if (px_hypercall(XEN_PERFCTR_OP_sync, NULL)) {
			v->snap.live_mask = 0;
			return;
		}
	}
	snapshot_copy(v, false);
}
