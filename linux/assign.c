// SPDX-License-Identifier: GPL-2.0-only
/*
 * The assigner: which selector counts in which slot, and what to tell Xen about it.
 *
 * Selectors carry no user or kernel bit: a slot keeps a sum per mode, so events that differ only in
 * their filter share it. Pure functions on a set. Contexts: a VCPU's own set with interrupts off;
 * a private set of event_init in process context. Locks: none, the caller owns the set.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "module.h"

/* Is slot what Xen counts with this selector, or will be after the next program? */
static bool slot_counts(const struct px_slot *slot, u64 evtsel)
{
	if (slot->users)
		return slot->evtsel == evtsel;
	return slot->loaded && slot->loaded_evtsel == evtsel;
}

/*
 * Find a slot for a selector and take a share in it. A selector that is counting somewhere keeps
 * its counter, so that its V goes on without a gap; else a slot that Xen has nothing in goes before
 * one whose selector somebody may want back soon. A counter that a session of
 * the host has taken is not in avail_mask. Returns the slot, or -EAGAIN when all are in use.
 */
int px_set_get(struct px_set *set, u64 evtsel, u32 avail_mask)
{
	int best = -EAGAIN;
	unsigned int i;

	for (i = 0; i < px_nr_slots; i++) {
		const struct px_slot *slot = &set->slot[i];

		if (!(avail_mask & BIT(i)))
			continue;
		if (slot_counts(slot, evtsel)) {
			best = i;
			break;
		}
		if (slot->users)
			continue;
		if (best < 0 || (set->slot[best].loaded && !slot->loaded))
			best = i;
	}
	if (best >= 0) {
		set->slot[best].evtsel = evtsel;
		set->slot[best].users++;
	}
	return best;
}

void px_set_put(struct px_set *set, int slot)
{
	set->slot[slot].users--;
}

static bool slot_changed(const struct px_slot *slot, bool exactly)
{
	if (!slot->users)
		return slot->loaded && exactly;
	return !slot->loaded || slot->loaded_evtsel != slot->evtsel;
}

/* Does Xen not count what is wanted? With exactly: or anything else as well? */
bool px_set_changed(const struct px_set *set, bool exactly)
{
	unsigned int i;

	for (i = 0; i < px_nr_slots; i++) {
		if (slot_changed(&set->slot[i], exactly))
			return true;
	}
	return false;
}

/* The slot that counts evtsel for nobody, or -ENOENT. */
int px_set_surplus(const struct px_set *set, u64 evtsel)
{
	unsigned int i;

	for (i = 0; i < px_nr_slots; i++) {
		const struct px_slot *slot = &set->slot[i];

		if (!slot->users && slot->loaded && slot->loaded_evtsel == evtsel)
			return i;
	}
	return -ENOENT;
}

/*
 * Write the wanted set as the argument of program and check. Always split: the flags must not
 * depend on who shares a slot, or a second event with another filter would restart it.
 */
void px_set_describe(const struct px_set *set, struct xen_perfctr_program *program)
{
	unsigned int i;

	memset(program, 0, sizeof(*program));
	for (i = 0; i < px_nr_slots; i++) {
		struct xen_perfctr_slot *out = &program->slot[program->nr];

		if (!set->slot[i].users)
			continue;
		out->slot = i;
		out->pmc_class = XEN_PERFCTR_CLASS_CORE;
		out->pmc = i;
		out->kind = XEN_PERFCTR_KIND_OFFSET;
		out->flags = px_events_slot_flags(set->slot[i].evtsel);
		out->evtsel = set->slot[i].evtsel;
		program->nr++;
	}
}

/* Xen has taken the wanted set. */
void px_set_loaded(struct px_set *set)
{
	unsigned int i;

	for (i = 0; i < px_nr_slots; i++) {
		set->slot[i].loaded = set->slot[i].users != 0;
		set->slot[i].loaded_evtsel = set->slot[i].evtsel;
	}
}

/* Xen counts nothing any more. */
void px_set_lost(struct px_set *set)
{
	unsigned int i;

	for (i = 0; i < px_nr_slots; i++)
		set->slot[i].loaded = false;
}
