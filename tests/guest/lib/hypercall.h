/* SPDX-License-Identifier: GPL-2.0-only */
/* Hypercalls of a 64-bit PV guest: SYSCALL from kernel mode. Any context. */
#ifndef GUEST_HYPERCALL_H
#define GUEST_HYPERCALL_H

#include "xen.h"

/*
 * Issued inline and not through the hypercall page, so that a test that counts instructions sees
 * each one in its own source.
 */
static inline long hypercall4(unsigned int nr, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4)
{
    long ret;
    register uint64_t r10 __asm__("r10") = a4;

    __asm__ volatile("syscall"
                     : "=a"(ret), "+D"(a1), "+S"(a2), "+d"(a3), "+r"(r10)
                     : "0"((uint64_t)nr)
                     : "rcx", "r11", "r8", "r9", "memory");
    return ret;
}

static inline long hypercall3(unsigned int nr, uint64_t a1, uint64_t a2, uint64_t a3)
{
    return hypercall4(nr, a1, a2, a3, 0);
}

static inline long hypercall2(unsigned int nr, uint64_t a1, uint64_t a2)
{
    return hypercall4(nr, a1, a2, 0, 0);
}

static inline long sched_yield(void)
{
    return hypercall2(HC_sched_op, SCHEDOP_YIELD, 0);
}

#define PIN_NONE (-1)

/* Moves the calling VCPU to a pcpu and keeps it there; dom0 only. A pin must be lifted first. */
static inline long pin_self(int32_t pcpu)
{
    const int32_t none = PIN_NONE;

    hypercall2(HC_sched_op, SCHEDOP_PIN_OVERRIDE, (uint64_t)&none);
    return pcpu == PIN_NONE ? 0 : hypercall2(HC_sched_op, SCHEDOP_PIN_OVERRIDE, (uint64_t)&pcpu);
}

static inline long vcpu_op(unsigned int cmd, unsigned int vcpu, void *arg)
{
    return hypercall3(HC_vcpu_op, cmd, vcpu, (uint64_t)arg);
}

#endif
