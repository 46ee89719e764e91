/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The core's interface to its host, and the state it keeps. doc/concurrency.md says who may touch
 * what in which context; in short: a pcpu's state and the state of the VCPU that runs there belong
 * to that pcpu with interrupts off, the state of a VCPU that runs nowhere to whoever holds the
 * host's lock for the domain.
 */
#ifndef PCX_H
#define PCX_H

#include "pmu.h"

#define PCX_OWNER_NONE 0ull   /* disabled and zero */
#define PCX_OWNER_MIXED ~0ull /* content or activity of more than one domain, or unknown */

#define PCX_SELECTOR_UNKNOWN ~0ull /* no selector has all bits: the reserved ones are clear */

/* Facts of the machine and of the command line: written at boot, constant from then on. */
struct pcx_host {
    const struct pcx_pmu_ops *ops; /* NULL: no PMU */
    struct pcx_class classes[XEN_PERFCTR_MAX_CLASSES];
    uint64_t avail_mask[XEN_PERFCTR_MAX_CLASSES];
    uint32_t nr_slots;
    uint64_t offset_start; /* register of a fresh OFFSET slot: just below the wrap in tests */
};
extern struct pcx_host pcx_host;

struct pcx_policy {
    uint32_t level; /* XEN_PERFCTR_LEVEL_* */
    uint32_t allow; /* XEN_PERFCTR_ALLOW_* */
};

struct pcx_domain {
    uint64_t incarnation; /* never reused, neither PCX_OWNER_NONE nor PCX_OWNER_MIXED */
    uint64_t policy_gen;
    struct pcx_policy policy;
};

/* One pcpu: what its counters hold, by value; never a pointer to who loaded them. */
struct pcx_pcpu {
    struct pcx_vcpu *running; /* from the end of its switch_in to the start of its switch_out */
    uint64_t dirty_mask[XEN_PERFCTR_MAX_CLASSES]; /* PMCs whose owner is not PCX_OWNER_NONE */
    uint64_t owner[XEN_PERFCTR_MAX_CLASSES][XEN_PERFCTR_MAX_SLOTS]; /* incarnation, or PCX_OWNER_ */
    uint64_t selector[XEN_PERFCTR_MAX_CLASSES][XEN_PERFCTR_MAX_SLOTS]; /* as last written */
    uint64_t selector_pv; /* what Xen adds to a PV guest's selector here */
    uint64_t nr_refused;  /* MSR writes that the hardware refused */
    bool started;         /* scrubbed; while it is not, RDPMC stays closed */
};

struct pcx_slot {
    uint16_t pmc_class;
    uint16_t pmc;
    uint16_t kind;   /* XEN_PERFCTR_KIND_* */
    uint32_t flags;  /* XEN_PERFCTR_SLOT_* */
    uint64_t evtsel; /* as the guest gave it */
    uint64_t cookie;
    uint64_t mask;   /* of the register's width */
    uint32_t rdpmc;  /* ECX */
    uint64_t sum[2]; /* by XEN_PERFCTR_MODE_*; RAW: USER alone */
    uint64_t start;  /* register when last booked */
    uint64_t raw;    /* register at the last switch_out */
};

/* One registered VCPU. The page always shows sum and start as they stand here, or an odd seq. */
struct pcx_vcpu {
    struct pcx_domain *domain;
    struct xen_perfctr_counter_page *page;    /* write only */
    struct xen_perfctr_control_page *control; /* write only, but for the byte rdpmc */
    uint64_t seq;
    uint64_t tsc_sum;
    uint64_t tsc_start;
    uint32_t vcpu;
    uint32_t mode;       /* XEN_PERFCTR_MODE_*, the mode whose sums are running */
    uint32_t live_mask;  /* slots in use */
    uint32_t split_mask; /* of these, OFFSET slots with a sum per mode */
    uint32_t credit_mask;  /* live slots that count instructions which Xen executes */
    uint32_t revoked_mask; /* free slots that the policy took away since the last program */
    uint64_t pmc_mask[XEN_PERFCTR_MAX_CLASSES]; /* PMCs of the live slots */
    bool rdpmc;   /* RDPMC is open to this VCPU's guest code; the host's CR4 follows it */
    bool blocked; /* RDPMC must stay closed: a counter could not be cleared */
    struct pcx_slot slot[XEN_PERFCTR_MAX_SLOTS];
    struct pcx_frame counter_frame;
    struct pcx_frame control_frame;
    struct pcx_frame ring_frame[XEN_PERFCTR_MAX_RING];
    uint32_t nr_ring;
};

/* Boot, BSP, before any other call: finds the PMU. -ENODEV: none. */
PCX_MUST_CHECK int pcx_host_probe(void);
/* Scrubs the calling pcpu; boot, CPU_STARTING, resume. Interrupts off. -EIO: RDPMC stays closed. */
PCX_MUST_CHECK int pcx_pcpu_start(struct pcx_pcpu *pcpu);
/* Books the running VCPU's slots, often enough that no register wraps twice. Interrupts on. */
void pcx_pcpu_fold(void);

void pcx_domain_init(struct pcx_domain *domain, struct pcx_policy policy);

/* query; domain: the one asked about. */
void pcx_query_fill(const struct pcx_domain *domain, uint32_t status,
                    struct xen_perfctr_query *query);

/* policy. check: the whole argument; get fills it, set carries it out and each VCPU follows. */
PCX_MUST_CHECK int pcx_policy_check(const struct xen_perfctr_policy *arg);
void pcx_policy_get(const struct pcx_domain *domain, struct xen_perfctr_policy *arg);
void pcx_policy_set(struct pcx_domain *domain, const struct xen_perfctr_policy *arg);
/* Stops and shows as REVOKED what the policy does not permit. running: v is the caller. */
void pcx_vcpu_policy_follow(struct pcx_vcpu *v, bool running);

/*
 * register: *slot_of_v is the host's pointer, NULL where v is not registered. running: v is the
 * caller and in kernel mode; else v runs nowhere. Interrupts on, under the host's lock.
 */
PCX_MUST_CHECK int pcx_vcpu_register(void *host_domain, struct pcx_domain *domain,
                                     const struct xen_perfctr_register *arg, bool running,
                                     struct pcx_vcpu **slot_of_v);
/* unregister and teardown: clears the host's pointer first. Same contexts. */
void pcx_vcpu_unregister(bool running, struct pcx_vcpu **slot_of_v);

/* Validates in place (indices come out safe against speculation). bad: the entry refused. */
PCX_MUST_CHECK int pcx_program_check(const struct pcx_domain *domain,
                                     struct xen_perfctr_program *arg, uint32_t *bad);
/* Loads what pcx_program_check() has passed. v runs here, interrupts on. -EIO: all slots freed. */
PCX_MUST_CHECK int pcx_vcpu_program(struct pcx_vcpu *v, const struct xen_perfctr_program *arg);
void pcx_vcpu_sync(struct pcx_vcpu *v);

/* The context switch, on the pcpu concerned, interrupts on. mode: the one v comes back in. */
void pcx_vcpu_switch_out(struct pcx_vcpu *v);
void pcx_vcpu_switch_in(struct pcx_vcpu *v, uint32_t mode);
/*
 * Another non-idle VCPU comes in, unregistered. incarnation of its domain, or 0; may_read: nothing
 * keeps it from RDPMC.
 */
void pcx_other_switch_in(uint64_t incarnation, bool may_read);

/* v went over to mode; v runs here or is about to. */
void pcx_vcpu_toggle(struct pcx_vcpu *v, uint32_t mode);
/* Xen has executed one instruction for v, which runs here. */
void pcx_vcpu_credit(struct pcx_vcpu *v);

#endif
