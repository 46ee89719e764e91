// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/bus/event_source/devices/cpu: format, events, caps, as the native driver shows them.
 *
 * The aliases in events/ are printed from the generic map itself: newer perf takes an alias where
 * older perf opens the generic event, and both must count the same.
 * Contexts: process, reads of constant tables. Locks: none.
 */
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>

#include <asm/perf_event.h>

#include "module.h"

PMU_FORMAT_ATTR(event, "config:0-7,32-35");
PMU_FORMAT_ATTR(umask, "config:8-15");
PMU_FORMAT_ATTR(edge, "config:18");
PMU_FORMAT_ATTR(inv, "config:23");
PMU_FORMAT_ATTR(cmask, "config:24-31");

static struct attribute *format_attrs[] = {
	&format_attr_event.attr, &format_attr_umask.attr, &format_attr_edge.attr,
	&format_attr_inv.attr,	 &format_attr_cmask.attr, NULL,
};

static const struct attribute_group format_group = {
	.name = "format",
	.attrs = format_attrs,
};

static ssize_t alias_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	u64 id = container_of(attr, struct perf_pmu_events_attr, attr)->id;
	u64 evtsel = px_events_generic(id);
	u64 umask = (evtsel & ARCH_PERFMON_EVENTSEL_UMASK) >> 8;
	int len;

	/* No row of the map uses edge, inv or cmask. */
	len = sysfs_emit(buf, "event=0x%02llx", (evtsel & 0xff) | ((evtsel >> 24) & 0xf00));
	if (umask)
		len += sysfs_emit_at(buf, len, ",umask=0x%02llx", umask);
	return len + sysfs_emit_at(buf, len, "\n");
}

#define ALIAS(hw_id, alias) \
	[PERF_COUNT_HW_##hw_id] = { \
		.attr = { { .name = alias, .mode = 0444 }, .show = alias_show }, \
		.id = PERF_COUNT_HW_##hw_id, \
	}

static struct perf_pmu_events_attr aliases[PERF_COUNT_HW_MAX] = {
	ALIAS(CPU_CYCLES, "cpu-cycles"),
	ALIAS(INSTRUCTIONS, "instructions"),
	ALIAS(CACHE_REFERENCES, "cache-references"),
	ALIAS(CACHE_MISSES, "cache-misses"),
	ALIAS(BRANCH_INSTRUCTIONS, "branch-instructions"),
	ALIAS(BRANCH_MISSES, "branch-misses"),
	ALIAS(BUS_CYCLES, "bus-cycles"),
	ALIAS(STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend"),
	ALIAS(STALLED_CYCLES_BACKEND, "stalled-cycles-backend"),
	ALIAS(REF_CPU_CYCLES, "ref-cycles"),
};

#define ALIAS_ATTR(hw_id) (&aliases[PERF_COUNT_HW_##hw_id].attr.attr)

static struct attribute *event_attrs[] = {
	ALIAS_ATTR(CPU_CYCLES),		     ALIAS_ATTR(INSTRUCTIONS),
	ALIAS_ATTR(CACHE_REFERENCES),	     ALIAS_ATTR(CACHE_MISSES),
	ALIAS_ATTR(BRANCH_INSTRUCTIONS),     ALIAS_ATTR(BRANCH_MISSES),
	ALIAS_ATTR(BUS_CYCLES),		     ALIAS_ATTR(STALLED_CYCLES_FRONTEND),
	ALIAS_ATTR(STALLED_CYCLES_BACKEND),  ALIAS_ATTR(REF_CPU_CYCLES),
	NULL,
};

static umode_t alias_is_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	u64 id = container_of(attr, struct perf_pmu_events_attr, attr.attr)->id;

	return px_events_generic(id) ? attr->mode : 0;
}

static const struct attribute_group events_group = {
	.name = "events",
	.attrs = event_attrs,
	.is_visible = alias_is_visible,
};

static ssize_t max_precise_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0\n");
}

static DEVICE_ATTR_RO(max_precise);

static struct attribute *caps_attrs[] = { &dev_attr_max_precise.attr, NULL };

static const struct attribute_group caps_group = {
	.name = "caps",
	.attrs = caps_attrs,
};

const struct attribute_group *px_sysfs_groups[] = {
	&format_group, &events_group, &caps_group, &px_rdpmc_group, NULL,
};
