/* SPDX-License-Identifier: GPL-2.0-only */
/* The perfctr hypercall as the tests use it: pages of each VCPU, sets of slots, values. */
#ifndef GUEST_PCX_H
#define GUEST_PCX_H

#include <xen/perfctr.h>
#include "test.h"

#define PCX_RING_PAGES 2

/* Xen's numbering of the answers that the header documents. */
#define X_EPERM 1
#define X_ENOENT 2
#define X_ESRCH 3
#define X_ENXIO 6
#define X_E2BIG 7
#define X_EACCES 13
#define X_EFAULT 14
#define X_EBUSY 16
#define X_EEXIST 17
#define X_EINVAL 22
#define X_ENOSYS 38
#define X_EOPNOTSUPP 95

#define AMD_INSTRUCTIONS 0xc0

#define FLAGS_BOTH (XEN_PERFCTR_SLOT_USER | XEN_PERFCTR_SLOT_KERNEL)
#define FLAGS_SPLIT (FLAGS_BOTH | XEN_PERFCTR_SLOT_SPLIT)

struct pcx_pages {
    union {
        struct xen_perfctr_counter_page counter;
        uint8_t counter_bytes[XEN_PERFCTR_PAGE_BYTES];
    };
    union {
        struct xen_perfctr_control_page control;
        uint8_t control_bytes[XEN_PERFCTR_PAGE_BYTES];
    };
    uint8_t ring[PCX_RING_PAGES][XEN_PERFCTR_PAGE_BYTES];
};

struct pcx_value {
    uint64_t user, kernel;
    uint32_t flags;
};

/* Xen writes them at any time. */
extern volatile struct pcx_pages pcx_pages[NR_VCPUS];

static inline long pcx_op(unsigned int op, const volatile void *arg)
{
    return hypercall2(HC_perfctr_op, op, (uint64_t)arg);
}

/* Query, or end the test with an error line unless the interface is ready. */
const struct xen_perfctr_query *pcx_need_ready(void);

void pcx_register_arg(struct xen_perfctr_register *arg, unsigned int vcpu);
long pcx_register(unsigned int vcpu);
long pcx_unregister(unsigned int vcpu);

void pcx_add(struct xen_perfctr_program *p, unsigned int slot, unsigned int pmc, unsigned int kind,
             uint32_t flags);
/* pcx_add gives it to each slot: another one makes the same slot start anew. */
extern uint64_t pcx_cookie;

static inline long pcx_program(struct xen_perfctr_program *p)
{
    p->bad = 0;
    return pcx_op(XEN_PERFCTR_OP_program, p);
}
static inline long pcx_sync(void)
{
    return pcx_op(XEN_PERFCTR_OP_sync, NULL);
}

/* The booked sums on the page, without what runs since. */
struct pcx_value pcx_value(unsigned int vcpu, unsigned int slot);

/* The register when last booked. */
uint64_t pcx_start(unsigned int vcpu, unsigned int slot);

/*
 * Constructed counting, trip.S. A trip is: nr_kernel turns of a two-instruction loop in kernel
 * mode, the same nr_user times in user mode, a SYSCALL back, and one hypercall in kernel mode.
 * trip_run programs a set, makes the trips and syncs, and nothing else runs between: the
 * instructions of each mode are in the source, TRIP_USER and TRIP_KERNEL add them up.
 * It also sees, at the end of every trip, whether another VCPU made progress and whether the pcpu
 * is another than a trip ago.
 */
struct trip {
    const struct xen_perfctr_program *program;
    uint64_t trips;
    uint64_t nr_kernel, nr_user;       /* at least 1 */
    uint64_t hypercall, arg1, arg2[4]; /* arg2 is picked by trips left, modulo 4 */
    volatile uint64_t *own_progress;
    const volatile uint64_t *other_progress;
    uint64_t kernel_rsp, user_rsp;
    int64_t program_rc, sync_rc;
    uint64_t switches, moves; /* OUT: trips in which the other ran; in which the pcpu changed */
};

void trip_run(struct trip *t);
void trip_syscall(void);
/* Fills what does not count events; the hypercall is xen_version. */
void trip_init(struct trip *t, const struct xen_perfctr_program *p, uint64_t trips,
               uint64_t nr_kernel, uint64_t nr_user);
/* trip_run with its own entry for system calls. */
void trip_do(struct trip *t);

#define TRIP_USER(t) ((t)->trips * (2 * (t)->nr_user + 2))
#define TRIP_KERNEL(t) ((t)->trips * (2 * (t)->nr_kernel + 38) + 5)

/*
 * Stages, trip.S: program sets[0], a loop of nr turns, program sets[1], a loop, ... and sync, all
 * in kernel mode. A slot first named in sets[i] of n has STAGE_KERNEL(n, i, nr).
 */
long stage_run(const struct xen_perfctr_program *const *sets, uint64_t n, uint64_t nr);
#define STAGE_KERNEL(n, i, nr) (((n) - (i)) * (2 * (nr) + 8))

#endif
