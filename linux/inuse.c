// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which selectors open events name. Slots go on counting when their events leave a VCPU, so that
 * the next thread with the same events costs no hypercall; the last event to be closed unloads its
 * selector everywhere, and then nothing is counted for nobody.
 *
 * Contexts: opening and freeing of events, process context, may sleep. Locks: inuse_lock.
 */
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/smp.h>
#include <linux/xarray.h>

#include "module.h"

static DEFINE_MUTEX(inuse_lock);
static DEFINE_XARRAY(inuse); /* by selector: number of open events, as a value entry */

/* An event names evtsel: 0 or -ENOMEM. */
int px_inuse_get(u64 evtsel)
{
	unsigned long nr;
	int rc;

	mutex_lock(&inuse_lock);
	nr = xa_to_value(xa_load(&inuse, evtsel) ?: xa_mk_value(0));
	rc = xa_err(xa_store(&inuse, evtsel, xa_mk_value(nr + 1), GFP_KERNEL));
	mutex_unlock(&inuse_lock);
	return rc;
}

/* A hint, read from afar: the VCPU itself looks again. */
static bool vcpu_may_have(int cpu, void *evtsel)
{
	const struct px_vcpu *v = px_vcpu_of(cpu);

	return v && px_set_surplus(&v->set, *(const u64 *)evtsel) >= 0;
}

static void vcpu_unload(void *evtsel)
{
	px_pmu_unload(px_vcpu_this(), *(const u64 *)evtsel);
}

/* An event that named evtsel is gone, and was taken off its VCPU before. */
void px_inuse_put(u64 evtsel)
{
	unsigned long nr;

	mutex_lock(&inuse_lock);
	nr = xa_to_value(xa_load(&inuse, evtsel));
	if (nr > 1) {
		/* Never allocates: the entry is there. */
		xa_store(&inuse, evtsel, xa_mk_value(nr - 1), GFP_KERNEL);
	} else {
		xa_erase(&inuse, evtsel);
		on_each_cpu_cond(vcpu_may_have, vcpu_unload, &evtsel, true);
	}
	mutex_unlock(&inuse_lock);
}
