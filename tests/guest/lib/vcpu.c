/* SPDX-License-Identifier: GPL-2.0-only */
/* Bring-up of VCPUs and the guest's start. Kernel mode, events masked; VCPU 0 controls the rest. */
#include "vcpu.h"
#include "check.h"
#include "hypercall.h"
#include "mm.h"
#include "test.h"
#include "trap.h"

#define STACK_BYTES 16384

struct stacks {
    uint8_t kernel[STACK_BYTES];
    uint8_t entry[STACK_BYTES];
    uint8_t user[STACK_BYTES];
};

void guest_start(struct start_info *si);
void vcpu_main(struct vcpu *v);
void vcpu_entry(void);
void user_return(void);

struct vcpu vcpus[NR_VCPUS];
static struct stacks stacks[NR_VCPUS] PAGE_ALIGNED;
static uint8_t vcpu0_stack[STACK_BYTES] PAGE_ALIGNED __attribute__((used));
__asm__(".globl vcpu0_stack_top\nvcpu0_stack_top = vcpu0_stack + 16384");

_Static_assert(offsetof(struct vcpu, kernel_rsp) == VCPU_KERNEL_RSP, "start.S");
_Static_assert(offsetof(struct vcpu, user_rsp) == VCPU_USER_RSP, "start.S");
_Static_assert(offsetof(struct vcpu, user_rflags) == VCPU_USER_RFLAGS, "start.S");

static void fill_vcpu(struct vcpu *v, unsigned int id)
{
    uint64_t *user_top = (uint64_t *)(stacks[id].user + STACK_BYTES - 64);

    /* A function that user mode runs returns to user_return, which only reads this. */
    *user_top = (uint64_t)user_return;
    v->self = v;
    v->id = id;
    v->user_rsp = (uint64_t)user_top;
    v->user_rflags = RFLAGS_ONE;
    v->entry_rsp = (uint64_t)(stacks[id].entry + STACK_BYTES);
}

void vcpu_setup_boot(void)
{
    unsigned int id;

    for (id = 0; id < NR_VCPUS; id++) {
        fill_vcpu(&vcpus[id], id);
    }
    vcpus[0].initialised = true;
    if (hypercall2(HC_set_segment_base, SEGBASE_GS_KERNEL, (uint64_t)&vcpus[0]) != 0 ||
        hypercall2(HC_stack_switch, SEL_SS, vcpus[0].entry_rsp) != 0) {
        error("VCPU 0 setup refused");
    }
    vcpu_op(VCPUOP_STOP_PERIODIC_TIMER, 0, NULL);
}

struct vcpu_context *vcpu_fill_context(struct vcpu *v)
{
    static struct vcpu_context ctx;
    const struct trap_info *trap;

    memset(&ctx, 0, sizeof(ctx));
    ctx.flags = VGCF_IN_KERNEL | VGCF_FAILSAFE_DISABLES_EVENTS | VGCF_SYSCALL_DISABLES_EVENTS;
    ctx.user_regs.ip = (uint64_t)vcpu_entry;
    ctx.user_regs.sp = (uint64_t)(stacks[v->id].kernel + STACK_BYTES);
    ctx.user_regs.di = (uint64_t)v;
    ctx.user_regs.cs = SEL_CS;
    ctx.user_regs.ss = SEL_SS;
    ctx.user_regs.flags = RFLAGS_ONE;
    for (trap = trap_list(); trap->address != 0; trap++) {
        ctx.traps[trap->vector] = *trap;
    }
    ctx.kernel_ss = SEL_SS;
    ctx.kernel_sp = v->entry_rsp;
    ctx.ctrlreg[1] = user_cr3();
    ctx.ctrlreg[3] = mfn_of((const void *)start_info->pt_base) * PAGE_BYTES;
    ctx.event_callback = (uint64_t)entry_event;
    ctx.failsafe_callback = (uint64_t)entry_failsafe;
    ctx.syscall_callback = (uint64_t)entry_syscall;
    ctx.gs_base_kernel = (uint64_t)v;
    return &ctx;
}

bool vcpu_exists(unsigned int id)
{
    return id < NR_VCPUS && vcpu_op(VCPUOP_IS_UP, id, NULL) >= 0;
}

bool vcpu_start(unsigned int id, void (*fn)(void *), void *arg)
{
    struct vcpu *v = &vcpus[id];

    if (!v->initialised) {
        if (vcpu_op(VCPUOP_INITIALISE, id, vcpu_fill_context(v)) != 0) {
            return false;
        }
        v->initialised = true;
    }
    v->job_done = false;
    v->job_arg = arg;
    v->job = fn;
    return vcpu_op(VCPUOP_UP, id, NULL) == 0;
}

bool vcpu_join(unsigned int id, uint64_t timeout_ns)
{
    uint64_t end = now_ns() + timeout_ns;

    while (!vcpus[id].job_done || vcpu_op(VCPUOP_IS_UP, id, NULL) != 0) {
        if (now_ns() > end) {
            return false;
        }
        sched_yield();
    }
    return true;
}

void vcpu_main(struct vcpu *v)
{
    vcpu_op(VCPUOP_STOP_PERIODIC_TIMER, v->id, NULL);
    for (;;) {
        v->job(v->job_arg);
        v->job_done = true;
        vcpu_op(VCPUOP_DOWN, v->id, NULL);
    }
}

uint64_t now_ns(void)
{
    const volatile struct vcpu_time_info *t = &shared_info->vcpu[this_vcpu()->id].time;
    uint64_t delta, ns;
    uint32_t version;

    do {
        version = t->version;
        __asm__ volatile("" ::: "memory");
        delta = rdtsc() - t->tsc_timestamp;
        delta = t->tsc_shift < 0 ? delta >> -t->tsc_shift : delta << t->tsc_shift;
        ns = t->system_time + (uint64_t)(((unsigned __int128)delta * t->tsc_to_system_mul) >> 32);
        __asm__ volatile("" ::: "memory");
    } while ((version & 1) != 0 || version != t->version);
    return ns;
}

bool has_word(const char *word)
{
    const char *at = start_info->cmd_line;
    size_t n;

    while (*at != '\0') {
        for (n = 0; word[n] != '\0' && at[n] == word[n]; n++) {
        }
        if (word[n] == '\0' && (at[n] == '\0' || at[n] == ' ')) {
            return true;
        }
        while (*at != '\0' && *at++ != ' ') {
        }
    }
    return false;
}

void guest_start(struct start_info *si)
{
    start_info = si;
    vcpu_setup_boot();
    trap_setup();
    mm_setup();
    test_main();
    finish();
}
