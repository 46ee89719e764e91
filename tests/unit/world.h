/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Domains and VCPUs on the fake machine, driven as a hypervisor drives the core, and a slow oracle
 * that counts for every slot what its VCPU did. Each operation ends with the comparison.
 */
#ifndef TESTS_UNIT_WORLD_H
#define TESTS_UNIT_WORLD_H

#include "fake.h"

#define WORLD_NR_DOMAINS 3
#define WORLD_NR_VCPUS 8
#define WORLD_NR_EVENTS 4

struct expect_slot {
    bool live;
    struct xen_perfctr_slot arg;
    uint64_t sum[2];
    uint64_t reg; /* what the counter holds while its VCPU runs */
};

struct world_domain {
    struct pcx_domain core;
    bool hvm;      /* never registers, executes RDPMC all the same */
};

struct world_vcpu {
    struct world_domain *domain;
    uint64_t life;         /* never the same again, and unknown to the core */
    struct pcx_vcpu *core; /* NULL: not registered */
    int32_t pcpu;          /* -1: runs nowhere */
    uint32_t id;
    uint32_t mode;
    bool rdpmc; /* as asked at the last change to user mode */
    struct expect_slot now[XEN_PERFCTR_MAX_SLOTS];
    struct expect_slot before[XEN_PERFCTR_MAX_SLOTS]; /* the operation under way */
};

extern struct world_domain world_domains[WORLD_NR_DOMAINS];
extern struct world_vcpu world_vcpus[WORLD_NR_VCPUS];
extern struct world_vcpu *world_current[FAKE_NR_PCPUS];
extern const uint64_t world_events[WORLD_NR_EVENTS];

/* What has gone wrong so far, at most one line printed for each kind. */
extern uint64_t world_inexact, world_torn, world_leaks, world_gate_wrong;

/* soft: with the soft PMU, else AMD. */
void world_init(bool soft);
/* Everything unregistered. Leaves the books of memory for the caller to look at. */
void world_finish(void);

void world_switch(uint32_t pcpu, struct world_vcpu *next); /* NULL: idle */
void world_run(uint32_t pcpu, uint32_t event, uint64_t n);
void world_toggle(uint32_t pcpu);
void world_credit(uint32_t pcpu);
void world_fold(uint32_t pcpu);
void world_sync(uint32_t pcpu);
void world_rdpmc_ask(struct world_vcpu *v, uint8_t byte);
/* By itself if it runs, else by a sibling. */
int world_register(struct world_vcpu *v);
void world_unregister(struct world_vcpu *v);
int world_program(uint32_t pcpu, struct xen_perfctr_program *arg);
/* caller: the VCPU that asks, of that domain, or NULL: dom0. */
void world_policy_set(struct world_domain *domain, struct pcx_policy policy, struct world_vcpu *caller);
/* 0, or what program and check answer to an entry that is right but for the policy. */
int world_permission(const struct world_domain *domain, const struct xen_perfctr_slot *s);
void world_domain_replace(struct world_domain *domain);
void world_pcpu_restart(uint32_t pcpu);

/* Frames of a VCPU: counter, control, one of the ring. */
void world_register_arg(const struct world_vcpu *v, struct xen_perfctr_register *arg);

#endif
