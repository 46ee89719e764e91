/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: an instruction that Xen executes in the guest's place is counted once with CREDIT, as
 * on bare hardware, and not without.
 * Ground truth: the loops below, by arithmetic; two slots count the same run, with and without
 * CREDIT, and differ by exactly the emulated instructions.
 */
#include "pcx.h"

#define TURNS 50

/* slot and PMC: 0 SPLIT, 1 SPLIT with CREDIT, 2 RAW, 3 RAW with CREDIT */
#define NR_SLOTS 4

/*
 * name_kernel(program): program, a loop of TURNS times { insn; dec; jnz }, sync.
 * Counted natively: mov rcx, 3 * TURNS, and the 4 up to sync's SYSCALL.
 * name_user(): the same loop as a function for user_run.
 * Natively: mov rcx, 3 * TURNS, ret, and the 3 of user_return.
 */
#define LOOP(name, insn)                                                                           \
    long name##_kernel(const struct xen_perfctr_program *p);                                       \
    uint64_t name##_user(uint64_t arg0, uint64_t arg1);                                            \
    __asm__(".text\n" #name "_kernel:\n\t"                                                         \
            "push %rbx\n\tmov %rdi, %rsi\n\tmov $4, %edi\n\tmov $50, %eax\n\tsyscall\n\t"          \
            "mov $50, %r12d\n\t1:\n\t" insn "\n\tdec %r12d\n\tjnz 1b\n\t"                          \
            "mov $50, %eax\n\tmov $5, %edi\n\txor %esi, %esi\n\tsyscall\n\t"                       \
            "pop %rbx\n\tret\n" #name "_user:\n\t"                                                 \
            "mov $50, %r12d\n\t1:\n\t" insn "\n\tdec %r12d\n\tjnz 1b\n\tret")

#define KERNEL_COUNT (1 + 3 * TURNS + 4)
#define USER_COUNT (1 + 3 * TURNS + 1 + 3)

LOOP(in, "in $0x80, %al");
LOOP(out, "out %al, $0x80");
LOOP(read_cr0, "mov %cr0, %rax");
LOOP(read_msr, "mov $0xc0000080, %ecx; rdmsr; nop");
LOOP(native_nop, "nop");
LOOP(native_cpuid, "xor %eax, %eax; cpuid; nop");
LOOP(native_tsc, "rdtsc");
LOOP(forced_cpuid, "xor %eax, %eax; .byte 0x0f, 0x0b, 0x78, 0x65, 0x6e, 0x0f, 0xa2; nop");
/* Into an entry of an L1 table, which is mapped read-only. */
static volatile uint64_t *table_entry;
LOOP(table_write, "mov table_pointer, %rax; movq $0, (%rax); nop");
volatile uint64_t *table_pointer __attribute__((used));

static uint64_t l1_table[512] PAGE_ALIGNED;

static const struct {
    int line;
    const char *what;
    long (*kernel)(const struct xen_perfctr_program *);
    uint64_t (*user)(uint64_t, uint64_t);
    unsigned int insns;    /* in a turn beside dec and jnz */
    unsigned int emulated; /* of them, in kernel mode */
    bool in_user;          /* may user mode execute it? Emulated alike. */
    bool absolute;         /* are they one instruction each to the machine? */
} rows[] = {
    {__LINE__, "nop", native_nop_kernel, native_nop_user, 1, 0, true, true},
    {__LINE__, "rdtsc (native)", native_tsc_kernel, native_tsc_user, 1, 0, true, true},
    {__LINE__, "cpuid (native)", native_cpuid_kernel, native_cpuid_user, 3, 0, true, true},
    {__LINE__, "in", in_kernel, in_user, 1, 1, true, true},
    {__LINE__, "out", out_kernel, out_user, 1, 1, true, true},
    {__LINE__, "mov cr0", read_cr0_kernel, read_cr0_user, 1, 1, false, true},
    {__LINE__, "rdmsr", read_msr_kernel, read_msr_user, 3, 1, false, true},
    {__LINE__, "page table write", table_write_kernel, table_write_user, 3, 1, false, true},
    {__LINE__, "forced cpuid", forced_cpuid_kernel, forced_cpuid_user, 3, 1, true, false},
};

static struct xen_perfctr_program program;

static void set_iopl(uint32_t iopl)
{
    if (hypercall2(HC_physdev_op, PHYSDEVOP_SET_IOPL, (uint64_t)&iopl) != 0) {
        error("iopl %u refused", iopl);
    }
}

static void check_counts(unsigned int n, const char *mode, bool user, int64_t native)
{
    struct pcx_value v[NR_SLOTS];
    int64_t plain, credited, emulated = TURNS * rows[n].emulated;
    unsigned int slot;

    for (slot = 0; slot < NR_SLOTS; slot++) {
        v[slot] = pcx_value(0, slot);
    }
    plain = (int64_t)(user ? v[0].user : v[0].kernel);
    credited = (int64_t)(user ? v[1].user : v[1].kernel);
    check_eq_at(__FILE__, rows[n].line, credited - plain, emulated, "%s, %s: credited",
                rows[n].what, mode);
    check_eq_at(__FILE__, rows[n].line, (int64_t)(v[3].user - v[2].user), emulated,
                "%s, %s: credited to a RAW slot", rows[n].what, mode);
    if (rows[n].absolute) {
        check_eq_at(__FILE__, rows[n].line, credited, native, "%s, %s: as natively", rows[n].what,
                    mode);
    }
}

/* The same slots, from 0. */
static void fill(void)
{
    pcx_cookie++;
    memset(&program, 0, sizeof(program));
    pcx_add(&program, 0, 0, XEN_PERFCTR_KIND_OFFSET, FLAGS_SPLIT);
    pcx_add(&program, 1, 1, XEN_PERFCTR_KIND_OFFSET, FLAGS_SPLIT | XEN_PERFCTR_SLOT_CREDIT);
    pcx_add(&program, 2, 2, XEN_PERFCTR_KIND_RAW, FLAGS_BOTH);
    pcx_add(&program, 3, 3, XEN_PERFCTR_KIND_RAW, FLAGS_BOTH | XEN_PERFCTR_SLOT_CREDIT);
}

static void run_row(unsigned int n)
{
    int64_t more = TURNS * (int64_t)(rows[n].insns - 1);
    long rc;

    fill();
    __asm__ volatile("call *%2"
                     : "=a"(rc)
                     : "D"(&program), "r"(rows[n].kernel)
                     : "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "rbx", "memory");
    check_eq_at(__FILE__, rows[n].line, rc, 0, "%s: sync", rows[n].what);
    check_counts(n, "kernel mode", false, KERNEL_COUNT + more);
    if (rows[n].in_user) {
        fill();
        check_eq(pcx_program(&program), 0, "program for user mode");
        user_run(rows[n].user, 0, 0);
        check_eq(pcx_sync(), 0, "sync");
        check_counts(n, "user mode", true, USER_COUNT + more);
    }
}

void test_main(void)
{
    const struct xen_perfctr_query *q = pcx_need_ready();
    unsigned int n;

    if (!(q->features & XEN_PERFCTR_FEATURE_CREDIT)) {
        skip("credit", "no such feature");
        return;
    }
    property("emulated instructions count once with CREDIT");
    check_eq(pcx_register(0), 0, "register");
    set_iopl(3);
    map_page(l1_table, mfn_of(l1_table), PTE_RO);
    if (mmuext(MMUEXT_PIN_L1_TABLE, mfn_of(l1_table)) != 0) {
        error("no page table to write to");
    }
    table_entry = l1_table;
    table_pointer = table_entry;
    for (n = 0; n < ARRAY_LEN(rows); n++) {
        run_row(n);
    }
    check_eq(pcx_unregister(0), 0, "unregister");
}
