/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: the micro-guest library itself works, so that other tests may blame Xen.
 * Ground truth: the values are chosen here; needs no perfctr and runs on stock Xen.
 */
#include "test.h"

static volatile unsigned int seen_apic;

static uint64_t in_user(uint64_t a, uint64_t b)
{
    return a + b;
}

static uint64_t in_kernel(uint64_t arg)
{
    return arg * 2;
}

static uint64_t call_kernel(uint64_t arg, uint64_t unused)
{
    (void)unused;
    return user_syscall(in_kernel, arg) + 1;
}

static uint64_t int80_and_fault(uint64_t index, uint64_t unused)
{
    uint64_t value;

    (void)unused;
    __asm__ volatile("int $0x80" ::: "memory");
    return rdpmc_safe((uint32_t)index, &value);
}

static void on_other(void *arg)
{
    *(volatile unsigned int *)arg = user_run(in_user, 40, 2) == 42;
}

static void see_apic(void *arg)
{
    pin_self((int32_t)(uint64_t)arg);
    seen_apic = apic_id();
}

void test_main(void)
{
    volatile unsigned int answered = 0;
    uint64_t value, before;
    unsigned int first;

    property("user mode, system calls, traps");
    check_eq(user_run(in_user, 5, 6), 11, "user mode returns a value");
    check_eq(user_run(call_kernel, 21, 0), 43, "system call from user mode and back");
    check(!rdpmc_safe(0, &value), "rdpmc faults in kernel mode and is fixed up");
    check_eq(user_run(int80_and_fault, 0, 0), 0, "rdpmc faults in user mode and is fixed up");
    check_eq(vcpus[0].nr_int80, 1, "int 0x80 arrived");
    before = now_ns();
    check(now_ns() >= before, "time does not go back");
    property("a second VCPU, a second pcpu");
    if (!vcpu_exists(1)) {
        skip("second VCPU", "one VCPU only");
        return;
    }
    check(vcpu_start(1, on_other, (void *)&answered), "VCPU 1 starts");
    check(vcpu_join(1, 1000000000) && answered == 1, "VCPU 1 ran user mode");
    check_eq(pin_self(0), 0, "pin to pcpu 0");
    first = apic_id();
    if (pin_self(1) == 0) {
        check(apic_id() != first, "pcpu 1 has another APIC id");
        check(vcpu_start(1, see_apic, NULL) && vcpu_join(1, 1000000000) && seen_apic == first,
              "VCPU 1 goes to pcpu 0");
    } else {
        skip("pcpu 1", "one pcpu only");
    }
}
