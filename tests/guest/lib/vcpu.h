/* SPDX-License-Identifier: GPL-2.0-only */
/* VCPUs of the guest: their stacks, bring-up, user mode. */
#ifndef GUEST_VCPU_H
#define GUEST_VCPU_H

#define NR_VCPUS 4

/* Offsets in struct vcpu, which kernel %gs points at. */
#define VCPU_KERNEL_RSP 8
#define VCPU_USER_RSP 16
#define VCPU_USER_RFLAGS 24

/* Vectors of a struct frame beyond the architecture's. */
#define VECTOR_SYSCALL 0x100
#define VECTOR_EVENT 0x101
#define VECTOR_FAILSAFE 0x102

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include "xen.h"

struct vcpu {
    struct vcpu *self;
    uint64_t kernel_rsp; /* of user_run, to come back to */
    uint64_t user_rsp;
    uint64_t user_rflags; /* RFLAGS_ONE: events masked in user mode; | RFLAGS_IF: open */
    uint64_t entry_rsp;   /* where Xen puts frames that come from user mode */
    unsigned int id;
    bool initialised;
    volatile bool job_done;
    void (*volatile job)(void *arg);
    void *volatile job_arg;
    volatile uint64_t nr_events, nr_failsafe, nr_int80;
};

extern struct vcpu vcpus[NR_VCPUS];

static inline struct vcpu *this_vcpu(void)
{
    struct vcpu *v;

    __asm__ volatile("mov %%gs:0, %0" : "=r"(v));
    return v;
}

void vcpu_setup_boot(void);

/*
 * Run fn(arg) in kernel mode on another VCPU, which is down before and after. False: Xen refused,
 * or (vcpu_join) it did not end within the time, in ns.
 */
bool vcpu_start(unsigned int id, void (*fn)(void *), void *arg);
bool vcpu_join(unsigned int id, uint64_t timeout_ns);
bool vcpu_exists(unsigned int id);

/* What VCPUOP_initialise wants; for tests that enter elsewhere than vcpu_entry. */
struct vcpu_context *vcpu_fill_context(struct vcpu *v);

uint64_t user_run(void *entry, uint64_t arg0, uint64_t arg1);

/* User mode: run fn(arg) in kernel mode by a system call. */
static inline uint64_t user_syscall(uint64_t (*fn)(uint64_t), uint64_t arg)
{
    uint64_t ret;

    __asm__ volatile("syscall" : "=a"(ret) : "0"(1ul), "D"(fn), "S"(arg) : "rcx", "r11", "memory");
    return ret;
}

/* System time in ns; TSC cycles. */
uint64_t now_ns(void);

static inline uint64_t rdtsc(void)
{
    uint32_t lo, hi;

    __asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
    return (uint64_t)hi << 32 | lo;
}

/*
 * The pcpu under the caller by its APIC id: CPUID executes natively in dom0 on the machines used
 * here, so this is the hardware's word and not Xen's.
 */
static inline unsigned int apic_id(void)
{
    uint32_t eax = 1, ebx, ecx = 0, edx;

    __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    return ebx >> 24;
}
#endif
#endif
