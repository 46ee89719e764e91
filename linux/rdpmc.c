// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file `rdpmc` of the PMU's directory. 0: RDPMC is closed; 1: open while a thread runs whose
 * own mapped event is on a counter; 2: open always. The default is 0, natively 1: perf's pages
 * offer no index yet, so nobody needs it, and slots that go on counting between threads would show
 * a thread how much the others did.
 *
 * Xen opens it for the whole VCPU, in kernel mode too, at the next change to user mode after the
 * control page asks for it. Where it is open, kernel sums are read without a hypercall.
 * Contexts: mmap and munmap of an event, and writes to the file, in process context; following on
 * the VCPU with interrupts off. Locks: mapping_lock, for the two fields of an event.
 */
#include <linux/atomic.h>
#include <linux/device.h>
#include <linux/kstrtox.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/sysfs.h>

#include "module.h"

#define RDPMC_NEVER 0
#define RDPMC_MAPPED 1
#define RDPMC_ALWAYS 2

static unsigned int level = RDPMC_NEVER;
static DEFINE_MUTEX(mapping_lock);
static atomic_t nr_mappings; /* of all events: where it is 0, which is common, none is looked at */

/*
 * The core leaves these two fields of a hardware event to its driver: whose mappings count, and
 * how many there are.
 */
static unsigned long *mapping_owner(struct perf_event *event)
{
	return &event->hw.config_base;
}

static unsigned long *mapping_nr(struct perf_event *event)
{
	return &event->hw.event_base;
}

static bool vcpu_has_mapped(const struct px_vcpu *v)
{
	unsigned int i;

	for (i = 0; i < v->nr_events; i++) {
		if (READ_ONCE(*mapping_nr(v->event[i])))
			return true;
	}
	return false;
}

/*
 * Ask Xen for what the events on this VCPU need. True: a thread may look that has no business with
 * what others left counting: that has to be cleared.
 */
bool px_rdpmc_follow(struct px_vcpu *v)
{
	unsigned int now = READ_ONCE(level);
	bool mapped = now == RDPMC_MAPPED && atomic_read(&nr_mappings) && vcpu_has_mapped(v);

	WRITE_ONCE(v->control->rdpmc, mapped || now == RDPMC_ALWAYS);
	return mapped;
}

static void follow_this(void *unused)
{
	struct px_vcpu *v = px_vcpu_this();

	if (v)
		px_pmu_refresh(v);
}

/* mmap of an event. A profiler's mapping of another process's event opens nothing to anybody. */
void px_rdpmc_mapped(struct perf_event *event, struct mm_struct *mm)
{
	if (!event->hw.target || event->hw.target->mm != mm)
		return;
	mutex_lock(&mapping_lock);
	if (!*mapping_nr(event) || *mapping_owner(event) == (unsigned long)mm) {
		*mapping_owner(event) = (unsigned long)mm;
		WRITE_ONCE(*mapping_nr(event), *mapping_nr(event) + 1);
		atomic_inc(&nr_mappings);
	}
	mutex_unlock(&mapping_lock);
	on_each_cpu(follow_this, NULL, true);
}

/* munmap, exec, exit. The mm may not be the target's any more. */
void px_rdpmc_unmapped(struct perf_event *event, struct mm_struct *mm)
{
	mutex_lock(&mapping_lock);
	if (*mapping_nr(event) && *mapping_owner(event) == (unsigned long)mm) {
		WRITE_ONCE(*mapping_nr(event), *mapping_nr(event) - 1);
		atomic_dec(&nr_mappings);
	}
	mutex_unlock(&mapping_lock);
	on_each_cpu(follow_this, NULL, true);
}

static ssize_t rdpmc_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(level));
}

static ssize_t rdpmc_store(struct device *dev, struct device_attribute *attr, const char *buf,
			   size_t count)
{
	unsigned int value;
	int rc = kstrtouint(buf, 0, &value);

	if (rc)
		return rc;
	if (value > RDPMC_ALWAYS)
		return -EINVAL;
	WRITE_ONCE(level, value);
	on_each_cpu(follow_this, NULL, true);
	return count;
}

static DEVICE_ATTR_RW(rdpmc);

static struct attribute *rdpmc_attrs[] = { &dev_attr_rdpmc.attr, NULL };

const struct attribute_group px_rdpmc_group = {
	.attrs = rdpmc_attrs,
};
