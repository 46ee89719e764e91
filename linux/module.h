/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the module share: the state of one VCPU and the functions between files.
 *
 * "cpu" is Linux's number of a VCPU; Xen's number appears only where page.c registers one.
 * Everything of a VCPU is used on that VCPU with interrupts off (perf's context lock, or an IPI),
 * so there is no lock: whoever runs on the VCPU owns it.
 */
#ifndef PX_MODULE_H
#define PX_MODULE_H

#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <xen/perfctr.h>

/*
 * With this defined no call to Xen is left out: the simple rules that the lazy ones are compared
 * with. Never in a release.
 */
#ifndef PX_EAGER
#define PX_EAGER 0
#endif

/* Events scheduled on one VCPU at once, many may share a slot; as many as the native driver. */
#define PX_MAX_EVENTS 64

/* One counter of a VCPU. Slot number and PMC number are the same: one class, no constraints yet. */
struct px_slot {
	u64 evtsel;	   /* wanted while users is not 0 */
	u64 loaded_evtsel; /* what Xen counts here while loaded */
	unsigned int users; /* 0 and loaded: left counting for the next thread that wants it */
	bool loaded;
};

/* What a VCPU shall count (users) and what Xen was last told to count (loaded). */
struct px_set {
	struct px_slot slot[XEN_PERFCTR_MAX_SLOTS];
};

/* One consistent copy of a counter page; sums by XEN_PERFCTR_MODE_*. */
struct px_snapshot {
	u64 sum[2][XEN_PERFCTR_MAX_SLOTS];
	u32 live_mask; /* slots whose sums may be used, the others' are not set */
};

struct px_vcpu {
	struct xen_perfctr_counter_page *page; /* written by Xen, only read here */
	struct xen_perfctr_control_page *control;
	bool registered; /* Xen has the pages */
	bool refused;	 /* Xen refused a set: nothing may be added until all events have gone */
	int refused_rc;
	struct irq_work refused_work; /* says so */
	bool disabled;	 /* between pmu_disable and pmu_enable */
	bool reading;	 /* inside a read transaction */
	bool snap_valid; /* snap serves all events of this disabled or reading section */
	unsigned int nr_events;
	unsigned int nr_pending; /* events that pmu_enable has to start */
	unsigned int nr_kernel;	 /* running events that count kernel mode */
	struct perf_event *event[PX_MAX_EVENTS];
	struct px_set set;
	struct px_snapshot snap;
	struct xen_perfctr_program program; /* argument of the hypercall, too big for the stack */
};

/* main.c: what Xen offers and what we use of it; constant once loaded. */
extern struct xen_perfctr_query px_query;
extern unsigned int px_nr_slots;

/* page.c */
int __must_check px_page_setup(void (*registered)(struct px_vcpu *v));
void px_page_teardown(void);
void px_page_resume_watch(void);
void px_page_resume_unwatch(void);
struct px_vcpu *px_vcpu_this(void);
struct px_vcpu *px_vcpu_of(unsigned int cpu);
u32 px_vcpu_avail_mask(const struct px_vcpu *v);

/* snapshot.c */
void px_snapshot_take(struct px_vcpu *v, bool kernel);

/* assign.c */
int __must_check px_set_get(struct px_set *set, u64 evtsel, u32 avail_mask);
void px_set_put(struct px_set *set, int slot);
bool px_set_changed(const struct px_set *set, bool exactly);
int px_set_surplus(const struct px_set *set, u64 evtsel);
void px_set_describe(const struct px_set *set, struct xen_perfctr_program *program);
void px_set_loaded(struct px_set *set);
void px_set_lost(struct px_set *set);

/* events.c */
int __must_check px_events_setup(void);
u64 px_events_generic(unsigned int id);
int __must_check px_events_evtsel(const struct perf_event_attr *attr, u64 *evtsel);
u32 px_events_slot_flags(u64 evtsel);

/* inuse.c */
int __must_check px_inuse_get(u64 evtsel);
void px_inuse_put(u64 evtsel);

/* open.c */
int px_event_init(struct perf_event *event);

/* pmu.c */
extern struct pmu px_pmu;
void px_pmu_restart(struct px_vcpu *v);
void px_pmu_refresh(struct px_vcpu *v);
void px_pmu_unload(struct px_vcpu *v, u64 evtsel);
void px_pmu_refused_print(struct irq_work *work);

/* rdpmc.c */
extern const struct attribute_group px_rdpmc_group;
bool px_rdpmc_follow(struct px_vcpu *v);
void px_rdpmc_mapped(struct perf_event *event, struct mm_struct *mm);
void px_rdpmc_unmapped(struct perf_event *event, struct mm_struct *mm);

/* sysfs.c */
extern const struct attribute_group *px_sysfs_groups[];

#endif
