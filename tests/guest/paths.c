/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: every way between guest kernel and guest user mode books to the mode that executed:
 * iret hypercall with and without SYSRET, SYSCALL, int 0x80, exceptions, event upcalls.
 * Ground truth: the instructions of the user functions below, by arithmetic; an instruction that
 * faults is not counted, one that traps is. The mode on the page must agree with the mode we know.
 */
#include "pcx.h"

/* user_return, see lib/start.S, after each function's own instructions. */
#define USER_RETURN 3

#define TURNS 40

#define USER_FUNCTION(name, code)                                                                  \
    uint64_t name(uint64_t arg0, uint64_t arg1);                                                   \
    __asm__(".text\n" #name ":\n\t" code "\n\tret")

/* Each loop: mov, TURNS times (what + dec + jnz), ret. */
#define LOOP(name, what)                                                                           \
    USER_FUNCTION(name, "mov $40, %r12d\n\t1:\n\t" what "\n\tdec %r12d\n\tjnz 1b")
#define LOOP_COUNT(insns) (1 + TURNS * ((insns) + 2) + 1 + USER_RETURN)

LOOP(u_nop, "nop");
LOOP(u_syscall, "mov $1, %eax; mov $kernel_probe, %rdi; syscall");
LOOP(u_int80, "int $0x80");
LOOP(u_gp, "2: mov %cr0, %rax; 3: nop; .pushsection .extable, \"a\"; .quad 2b, 3b; .popsection");
LOOP(u_pf, "2: movq $1, 64; 3: nop; .pushsection .extable, \"a\"; .quad 2b, 3b; .popsection");
LOOP(u_breakpoint, "int3");
LOOP(u_divide, "xor %eax, %eax; 2: div %eax; 3: nop;"
               ".pushsection .extable, \"a\"; .quad 2b, 3b; .popsection");
/* Reads the mode from the counter page: %rdi its address, %rax the sum of all readings. */
USER_FUNCTION(u_mode, "xor %eax, %eax; mov $40, %r12d\n\t1:\n\t"
                      "add (%rdi), %eax\n\tdec %r12d\n\tjnz 1b");
/* mov, 2 * arg0, ret */
USER_FUNCTION(u_long, "mov %rdi, %r12\n\t1: dec %r12\n\tjnz 1b");

static volatile uint64_t kernel_modes, kernel_visits;

uint64_t kernel_probe(uint64_t arg) __attribute__((used));
uint64_t kernel_probe(uint64_t arg)
{
    (void)arg;
    kernel_visits++;
    kernel_modes += pcx_pages[0].counter.mode == XEN_PERFCTR_MODE_KERNEL;
    return 0;
}

/* Looks at the page in every handler, and leaves the handling to others but for int3. */
static bool probe_hook(struct frame *f)
{
    (void)kernel_probe(0);
    return f->vector == 3;
}

static const struct {
    int line;
    const char *what;
    uint64_t (*fn)(uint64_t, uint64_t);
    unsigned int insns;  /* counted in a turn beside dec and jnz */
    unsigned int visits; /* to the kernel, in a turn */
} rows[] = {
    {__LINE__, "nop", u_nop, 1, 0},
    {__LINE__, "system call", u_syscall, 3, 2}, /* the hook and the function look */
    {__LINE__, "int 0x80", u_int80, 1, 1},
    {__LINE__, "#GP", u_gp, 1, 1},
    {__LINE__, "#PF", u_pf, 1, 1},
    {__LINE__, "int3", u_breakpoint, 1, 1},
    {__LINE__, "#DE", u_divide, 2, 1},
};

static void start_slots(void)
{
    struct xen_perfctr_program p = {0};

    pcx_cookie++;
    pcx_add(&p, 0, 0, XEN_PERFCTR_KIND_OFFSET, FLAGS_SPLIT);
    pcx_add(&p, 1, 1, XEN_PERFCTR_KIND_RAW, FLAGS_BOTH);
    pcx_add(&p, 2, 2, XEN_PERFCTR_KIND_OFFSET, FLAGS_SPLIT);
    check_eq(pcx_program(&p), 0, "program");
}

static void check_user(int line, const char *what, uint64_t want)
{
    struct pcx_value a, raw, b;

    check_eq(pcx_sync(), 0, "%s: sync", what);
    a = pcx_value(0, 0);
    raw = pcx_value(0, 1);
    b = pcx_value(0, 2);
    check_eq_at(__FILE__, line, (int64_t)a.user, (int64_t)want, "%s: user", what);
    check_eq_at(__FILE__, line, (int64_t)b.user, (int64_t)want, "%s: user, other slot", what);
    check_eq_at(__FILE__, line, (int64_t)(a.user + a.kernel), (int64_t)raw.user,
                "%s: user + kernel = all", what);
    check_eq_at(__FILE__, line, (int64_t)a.kernel, (int64_t)b.kernel, "%s: kernel", what);
    check_eq_at(__FILE__, line, pcx_pages[0].counter.mode, XEN_PERFCTR_MODE_KERNEL,
                "%s: kernel mode after it", what);
}

static void traps_and_calls(void)
{
    unsigned int n;

    for (n = 0; n < ARRAY_LEN(rows); n++) {
        kernel_visits = kernel_modes = 0;
        trap_hook = probe_hook;
        start_slots();
        user_run(rows[n].fn, 0, 0);
        check_user(rows[n].line, rows[n].what, LOOP_COUNT(rows[n].insns));
        trap_hook = NULL;
        if (kernel_visits != rows[n].visits * TURNS) {
            error("%s: %lu visits to the kernel", rows[n].what, kernel_visits);
        }
        check_eq(kernel_modes, kernel_visits, "%s: handlers see kernel mode", rows[n].what);
    }
}

static void modes(void)
{
    uint64_t sum;

    start_slots();
    sum = user_run(u_mode, (uint64_t)&pcx_pages[0].counter.mode, 0);
    check_eq(sum, TURNS * XEN_PERFCTR_MODE_USER, "user mode sees user mode");
    check_user(__LINE__, "mode", 2 + TURNS * 3 + 1 + USER_RETURN);
}

/* A timer fires somewhere in a long user loop: the loop counts the same. */
static void upcalls(void)
{
    static struct {
        uint32_t virq, vcpu, port;
    } bind = {VIRQ_TIMER, 0, 0};
    const uint64_t turns = 1000000;
    uint64_t seen = vcpus[0].nr_events;
    unsigned int n;

    if (hypercall2(HC_event_channel_op, EVTCHNOP_BIND_VIRQ, (uint64_t)&bind) != 0) {
        error("no timer event");
        return;
    }
    shared_info->evtchn_mask[bind.port / 64] &= ~(1ul << bind.port % 64);
    vcpus[0].user_rflags = RFLAGS_ONE | RFLAGS_IF;
    for (n = 0; n < 10; n++) {
        hypercall2(HC_set_timer_op, now_ns() + 500000 + n * 100000, 0);
        start_slots();
        user_run(u_long, turns, 0);
        check_user(__LINE__, "event upcall", 1 + 2 * turns + 1 + USER_RETURN);
    }
    vcpus[0].user_rflags = RFLAGS_ONE;
    if (vcpus[0].nr_events - seen < 5) {
        error("only %lu upcalls", vcpus[0].nr_events - seen);
    }
}

void test_main(void)
{
    pcx_need_ready();
    property("the page names the mode");
    check_eq(pcx_register(0), 0, "register");
    modes();
    property("system calls, int 0x80, exceptions");
    traps_and_calls();
    property("event upcalls");
    upcalls();
    check_eq(pcx_unregister(0), 0, "unregister");
}
