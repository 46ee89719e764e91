// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event knowledge: generic events by processor, cache events, raw selectors.
 *
 * Contexts: tables are chosen once at load and then only read, from any context. Locks: none.
 * Facts: AMD PPR of each family, section "Core Performance Monitor Counters"; the choice of events
 * is that of Linux 6.12, arch/x86/events/amd/core.c ("L" below), so that a count means the same as
 * on bare metal under the newest kernel.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/printk.h>

#include <asm/perf_event.h>
#include <asm/processor.h>

#include "module.h"

/*
 * L: amd_zen1_perfmon_event_map. 0x60 umask ff: L2 requests, all; 0x64 umask 09: L2 misses of L1
 * fills; 0x87 umask 02, 01: fetch stalled for data, by the back end.
 */
static const u64 generic_zen1[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= 0x0076,
	[PERF_COUNT_HW_INSTRUCTIONS]		= 0x00c0,
	[PERF_COUNT_HW_CACHE_REFERENCES]	= 0xff60,
	[PERF_COUNT_HW_CACHE_MISSES]		= 0x0964,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= 0x00c2,
	[PERF_COUNT_HW_BRANCH_MISSES]		= 0x00c3,
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= 0x0287,
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND]	= 0x0187,
};

/* L: amd_zen2_perfmon_event_map. 0xa9: dispatch queue empty; nothing for stalls of the back end. */
static const u64 generic_zen2[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= 0x0076,
	[PERF_COUNT_HW_INSTRUCTIONS]		= 0x00c0,
	[PERF_COUNT_HW_CACHE_REFERENCES]	= 0xff60,
	[PERF_COUNT_HW_CACHE_MISSES]		= 0x0964,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= 0x00c2,
	[PERF_COUNT_HW_BRANCH_MISSES]		= 0x00c3,
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= 0x00a9,
};

/* L: amd_zen4_perfmon_event_map. 0x120 umask 01: cycles not in halt at the P0 frequency. */
static const u64 generic_zen4[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= 0x0076,
	[PERF_COUNT_HW_INSTRUCTIONS]		= 0x00c0,
	[PERF_COUNT_HW_CACHE_REFERENCES]	= 0xff60,
	[PERF_COUNT_HW_CACHE_MISSES]		= 0x0964,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= 0x00c2,
	[PERF_COUNT_HW_BRANCH_MISSES]		= 0x00c3,
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= 0x00a9,
	[PERF_COUNT_HW_REF_CPU_CYCLES]		= 0x100000120ULL,
};

/* L: amd_pmu_event_map() with bsp_init_amd() of arch/x86/kernel/cpu/amd.c; first match holds. */
static const struct {
	u8 family, model_first, model_last;
	const u64 *generic;
} processors[] = {
	{ 0x17, 0x00, 0x2f, generic_zen1 },
	{ 0x17, 0x50, 0x5f, generic_zen1 },
	{ 0x17, 0x30, 0xff, generic_zen2 },
	{ 0x19, 0x10, 0x1f, generic_zen4 },
	{ 0x19, 0x60, 0xaf, generic_zen4 },
	{ 0x19, 0x00, 0xff, generic_zen2 },	/* Zen 3 */
	{ 0x1a, 0x00, 0xff, generic_zen4 },	/* Zen 5 */
};

static const u64 *generic __ro_after_init;

#define CACHE(cache, op, result) \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

/* L: amd_hw_cache_event_ids_f17h, the same for all families here. */
static const struct {
	u32 config;
	u16 evtsel;
} cache_events[] = {
	{ CACHE(L1D, READ, ACCESS),	0x0040 },	/* data cache accesses */
	{ CACHE(L1D, READ, MISS),	0xc860 },	/* L2 accesses of its misses */
	{ CACHE(L1D, PREFETCH, ACCESS),	0xff5a },	/* fills by the prefetcher */
	{ CACHE(L1I, READ, ACCESS),	0x0080 },	/* 32 byte fetch windows */
	{ CACHE(L1I, READ, MISS),	0x0081 },
	{ CACHE(DTLB, READ, ACCESS),	0xff45 },	/* misses of the first level */
	{ CACHE(DTLB, READ, MISS),	0xf045 },	/* table walks */
	{ CACHE(ITLB, READ, ACCESS),	0x0084 },	/* first level missed, second hit */
	{ CACHE(ITLB, READ, MISS),	0xff85 },	/* both missed */
	{ CACHE(BPU, READ, ACCESS),	0x00c2 },
	{ CACHE(BPU, READ, MISS),	0x00c3 },
};

#define OP_BIT(op) BIT(PERF_COUNT_HW_CACHE_OP_##op)

/* Operations that L marks impossible (-1: -EINVAL); all else not above has no event (-ENOENT). */
static const u8 cache_impossible_ops[PERF_COUNT_HW_CACHE_MAX] = {
	[PERF_COUNT_HW_CACHE_L1I] = OP_BIT(WRITE),
	[PERF_COUNT_HW_CACHE_ITLB] = OP_BIT(WRITE) | OP_BIT(PREFETCH),
	[PERF_COUNT_HW_CACHE_BPU] = OP_BIT(WRITE) | OP_BIT(PREFETCH),
	[PERF_COUNT_HW_CACHE_NODE] = OP_BIT(WRITE) | OP_BIT(PREFETCH),
};

/* Twelve bits of event number: the low eight at 0, the high four at 32. */
static unsigned int evtsel_event(u64 evtsel)
{
	return (evtsel & 0xff) | ((evtsel >> 24) & 0xf00);
}

/* Choose the tables. Family 15h is not there: its counters have constraints not known here. */
int __init px_events_setup(void)
{
	unsigned int i;

	if (boot_cpu_data.x86_vendor == X86_VENDOR_AMD) {
		for (i = 0; i < ARRAY_SIZE(processors); i++) {
			if (processors[i].family == boot_cpu_data.x86 &&
			    processors[i].model_first <= boot_cpu_data.x86_model &&
			    processors[i].model_last >= boot_cpu_data.x86_model) {
				generic = processors[i].generic;
				return 0;
			}
		}
	}
	pr_err("not loaded: module: no event table for this processor (family 0x%x model 0x%x)\n",
	       boot_cpu_data.x86, boot_cpu_data.x86_model);
	return -ENODEV;
}

/* Selector of a generic event, 0: the processor has none. */
u64 px_events_generic(unsigned int id)
{
	return generic[id];
}

static int generic_evtsel(u64 config, u64 *evtsel)
{
	if (config >= PERF_COUNT_HW_MAX)
		return -EINVAL;
	*evtsel = generic[array_index_nospec(config, PERF_COUNT_HW_MAX)];
	return *evtsel ? 0 : -ENOENT;
}

static int cache_evtsel(u64 config, u64 *evtsel)
{
	unsigned int cache = config & 0xff;
	unsigned int op = (config >> 8) & 0xff;
	unsigned int result = (config >> 16) & 0xff;
	unsigned int i;

	if (cache >= PERF_COUNT_HW_CACHE_MAX || op >= PERF_COUNT_HW_CACHE_OP_MAX ||
	    result >= PERF_COUNT_HW_CACHE_RESULT_MAX)
		return -EINVAL;
	cache = array_index_nospec(cache, PERF_COUNT_HW_CACHE_MAX);
	if (cache_impossible_ops[cache] & BIT(op))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(cache_events); i++) {
		if (cache_events[i].config == (config & 0xffffff)) {
			*evtsel = cache_events[i].evtsel;
			return 0;
		}
	}
	return -ENOENT;
}

/*
 * The selector an event asks for, without mode bits. Raw bits that are not the user's to set (EN,
 * INT, USR, OS, host/guest) are dropped as the native driver drops them: rr and many a recipe on
 * the web set them.
 */
int px_events_evtsel(const struct perf_event_attr *attr, u64 *evtsel)
{
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		return generic_evtsel(attr->config, evtsel);
	case PERF_TYPE_HW_CACHE:
		return cache_evtsel(attr->config, evtsel);
	default:
		*evtsel = attr->config & AMD64_RAW_EVENT_MASK;
	}
	/*
	 * PMCx003 (FLOPs) can add more than 15 a cycle and then needs two adjacent counters merged
	 * (L: amd_is_pair_event_code). That is not built; one counter alone would count too little.
	 */
	if (evtsel_event(*evtsel) == 0x003)
		return -EOPNOTSUPP;
	return 0;
}

/*
 * Flags of a slot with this selector. Instructions that Xen emulates for a PV guest retire nothing;
 * Xen credits slots that count retired instructions (PMCx0C0) one by one, which is not the same
 * as an event when a threshold or an edge is counted.
 */
u32 px_events_slot_flags(u64 evtsel)
{
	u32 flags = XEN_PERFCTR_SLOT_USER | XEN_PERFCTR_SLOT_KERNEL | XEN_PERFCTR_SLOT_SPLIT;

	if (evtsel_event(evtsel) == 0x0c0 &&
	    !(evtsel & (ARCH_PERFMON_EVENTSEL_EDGE | ARCH_PERFMON_EVENTSEL_INV |
			ARCH_PERFMON_EVENTSEL_CMASK)) &&
	    (px_query.features & XEN_PERFCTR_FEATURE_CREDIT))
		flags |= XEN_PERFCTR_SLOT_CREDIT;
	return flags;
}
