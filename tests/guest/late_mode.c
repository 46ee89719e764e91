/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: a VCPU whose mode changes while it does not run is booked right: VCPUOP_initialise
 * straight into user mode, and the failsafe callback, which Xen makes in the middle of a switch.
 * Ground truth: the instructions below, by arithmetic. That the failsafe callback came is seen
 * from it being called; it not coming is an error.
 */
#include "pcx.h"

#define TURNS 5000

static uint64_t gdt[512] PAGE_ALIGNED;
#define BAD_SEL 0x0b /* gdt[1], ring 3 */
#define FLAT_DATA 0x00cff3000000ffff

static volatile bool stop_other;

/* --- VCPUs 2 and 3 are born in user mode --- */

static struct {
    volatile uint32_t born_mode, born_flags, kernel_mode;
    volatile uint64_t rdpmc_works;
    volatile long program_rc, sync_rc;
    struct xen_perfctr_program program;
} born[NR_VCPUS];

static uint64_t born_program(uint64_t id)
{
    born[id].kernel_mode = pcx_pages[id].counter.mode;
    pcx_add(&born[id].program, 0, 0, XEN_PERFCTR_KIND_OFFSET, FLAGS_SPLIT);
    pcx_add(&born[id].program, 1, 1, XEN_PERFCTR_KIND_RAW, FLAGS_BOTH);
    born[id].program_rc = pcx_program(&born[id].program);
    return 0;
}

static uint64_t born_sync(uint64_t id)
{
    born[id].sync_rc = pcx_sync();
    vcpus[id].job_done = true;
    vcpu_op(VCPUOP_DOWN, (unsigned int)id, NULL);
    return 0;
}

/* From the system call of born_program to that of born_sync: mov, 2 * TURNS, and 4. */
#define BORN_USER (1 + 2 * TURNS + 4)

static void born_user(uint64_t id)
{
    uint64_t value;

    born[id].born_mode = pcx_pages[id].counter.mode;
    born[id].born_flags = pcx_pages[id].counter.flags;
    born[id].rdpmc_works = rdpmc_safe(0, &value);
    __asm__ volatile("mov $1, %%eax\n\t"
                     "mov %0, %%rdi\n\t"
                     "mov %2, %%rsi\n\t"
                     "syscall\n\t"
                     "mov $5000, %%rcx\n\t"
                     "1: dec %%rcx\n\t"
                     "jnz 1b\n\t"
                     "mov $1, %%eax\n\t"
                     "mov %1, %%rdi\n\t"
                     "mov %2, %%rsi\n\t"
                     "syscall\n\t"
                     :
                     : "r"((uint64_t)born_program), "r"((uint64_t)born_sync), "r"(id)
                     : "rax", "rcx", "rdi", "rsi", "r11", "memory");
}

static void born_in_user_mode(unsigned int id, uint8_t rdpmc)
{
    struct vcpu_context *ctx = vcpu_fill_context(&vcpus[id]);

    if (!vcpu_exists(id)) {
        error("needs VCPU %u", id);
        return;
    }
    check_eq(pcx_register(id), 0, "VCPU %u: register before it is initialised", id);
    pcx_pages[id].control.rdpmc = rdpmc;
    ctx->flags &= ~(uint64_t)VGCF_IN_KERNEL;
    ctx->user_regs.ip = (uint64_t)born_user;
    ctx->user_regs.sp = vcpus[id].user_rsp;
    ctx->user_regs.di = id;
    if (vcpu_op(VCPUOP_INITIALISE, id, ctx) != 0 || vcpu_op(VCPUOP_UP, id, NULL) != 0 ||
        !vcpu_join(id, 1000000000)) {
        error("VCPU %u did not run", id);
        return;
    }
    check_eq(born[id].born_mode, XEN_PERFCTR_MODE_USER, "VCPU %u: born in user mode", id);
    check_eq(born[id].rdpmc_works, born[id].born_flags & XEN_PERFCTR_COUNTER_FLAG_RDPMC,
             "VCPU %u: rdpmc is as the page says", id);
    if (rdpmc == 0) {
        check_eq(born[id].rdpmc_works, 0, "VCPU %u: rdpmc was not asked for", id);
    }
    check_eq(born[id].kernel_mode, XEN_PERFCTR_MODE_KERNEL, "VCPU %u: then kernel mode", id);
    check(born[id].program_rc == 0 && born[id].sync_rc == 0, "VCPU %u: program, sync", id);
    check_eq(pcx_value(id, 0).user, BORN_USER, "VCPU %u: user", id);
    check_eq(pcx_value(id, 0).user + pcx_value(id, 0).kernel, pcx_value(id, 1).user,
             "VCPU %u: user + kernel = all", id);
    check_eq(pcx_unregister(id), 0, "VCPU %u: unregister", id);
}

/* --- failsafe: a selector that is loaded becomes bad while its VCPU is away --- */

static volatile uint64_t failsafe_turns, failsafe_at_jump, failsafe_from_user, failsafe_kernel;
static volatile uint32_t failsafe_mode;

uint64_t spoil_selector(uint64_t arg) __attribute__((used));
uint64_t spoil_selector(uint64_t arg)
{
    (void)arg;
    if (hypercall2(HC_update_descriptor, mfn_of(gdt) * PAGE_BYTES + 8, 0) != 0) {
        error("descriptor not changed");
    }
    return 0;
}

/*
 * mov, mov es, 3 of the system call, xor; then turns of two instructions until the failsafe
 * callback sends it to failsafe_out: mov, ret, and 3 of user_return.
 */
uint64_t spoiled_user(uint64_t arg0, uint64_t arg1);
extern const uint8_t failsafe_inc[], failsafe_jump[], failsafe_out[];
__asm__(".text\n"
        "spoiled_user:\n\t"
        "mov $0x0b, %eax\n\t"
        "mov %eax, %es\n\t"
        "mov $1, %eax\n\t"
        "mov $spoil_selector, %rdi\n\t"
        "syscall\n\t"
        "xor %ebx, %ebx\n"
        "failsafe_inc: inc %rbx\n"
        "failsafe_jump: jmp failsafe_inc\n"
        "failsafe_out: mov %rbx, %rax\n\t"
        "ret");
#define SPOILED_USER(turns) (6 + 2 * (turns) + 2 + 3)

static bool failsafe_hook(struct frame *f)
{
    if (f->vector != VECTOR_FAILSAFE) {
        return false;
    }
    failsafe_mode = pcx_pages[0].counter.mode;
    if ((f->cs & 3) != 3) {
        failsafe_kernel++;
        return true;
    }
    failsafe_from_user++;
    failsafe_turns = f->rbx;
    failsafe_at_jump = f->rip == (uint64_t)failsafe_jump;
    if (f->rip != (uint64_t)failsafe_jump && f->rip != (uint64_t)failsafe_inc) {
        error("failsafe callback at %lx", f->rip);
    }
    f->rip = (uint64_t)failsafe_out;
    return true;
}

static void spin(void *arg)
{
    pin_self((int32_t)(uint64_t)arg);
    while (!stop_other) {
        sched_yield();
    }
    pin_self(PIN_NONE);
}

static void give_selector(void)
{
    if (hypercall2(HC_update_descriptor, mfn_of(gdt) * PAGE_BYTES + 8, FLAT_DATA) != 0) {
        error("no descriptor");
    }
}

static void program_split(void)
{
    struct xen_perfctr_program p = {0};

    pcx_cookie++;
    pcx_add(&p, 0, 0, XEN_PERFCTR_KIND_OFFSET, FLAGS_SPLIT);
    pcx_add(&p, 1, 1, XEN_PERFCTR_KIND_RAW, FLAGS_BOTH);
    check_eq(pcx_program(&p), 0, "program");
}

static void failsafe_in_user_mode(void)
{
    failsafe_from_user = 0;
    give_selector();
    program_split();
    user_run(spoiled_user, 0, 0);
    check_eq(pcx_sync(), 0, "sync");
    if (failsafe_from_user != 1) {
        error("%lu failsafe callbacks from user mode", failsafe_from_user);
        return;
    }
    check_eq(failsafe_mode, XEN_PERFCTR_MODE_KERNEL, "failsafe callback: kernel mode");
    check_eq(pcx_value(0, 0).user, SPOILED_USER(failsafe_turns) - failsafe_at_jump,
             "failsafe callback from user mode after %lu turns: user", failsafe_turns);
    check_eq(pcx_value(0, 0).user + pcx_value(0, 0).kernel, pcx_value(0, 1).user,
             "failsafe callback: user + kernel = all");
}

static void failsafe_in_kernel_mode(void)
{
    failsafe_kernel = 0;
    give_selector();
    program_split();
    __asm__ volatile("mov %0, %%es" : : "r"(BAD_SEL));
    spoil_selector(0);
    while (failsafe_kernel == 0) {
        sched_yield();
    }
    check_eq(pcx_sync(), 0, "sync");
    check_eq(failsafe_mode, XEN_PERFCTR_MODE_KERNEL, "failsafe callback in kernel mode");
    check_eq(pcx_value(0, 0).user, 0, "failsafe callback in kernel mode: no user");
    check_eq(pcx_value(0, 0).kernel, pcx_value(0, 1).user, "failsafe callback: kernel = all");
}

static void failsafe(void)
{
    uint64_t mfn = mfn_of(gdt), turn;

    map_page(gdt, mfn, PTE_RO);
    if (hypercall2(HC_set_gdt, (uint64_t)&mfn, 512) != 0 || pin_self(0) != 0 ||
        !vcpu_start(1, spin, NULL)) {
        error("no failsafe callback possible");
        return;
    }
    check_eq(pcx_register(0), 0, "register");
    trap_hook = failsafe_hook;
    for (turn = 0; turn < 5; turn++) {
        failsafe_in_user_mode();
    }
    failsafe_in_kernel_mode();
    trap_hook = NULL;
    stop_other = true;
    vcpu_join(1, 1000000000);
    pin_self(PIN_NONE);
    check_eq(pcx_unregister(0), 0, "unregister");
}

void test_main(void)
{
    pcx_need_ready();
    property("a VCPU initialised straight into user mode");
    born_in_user_mode(2, 0);
    born_in_user_mode(3, 1);
    property("failsafe callback in the middle of a switch");
    failsafe();
}
