/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Straight-line code whose instructions the tests know: see pcx.h. Counting starts inside the
 * program hypercall, so its SYSCALL is outside; it is read inside sync, so that SYSCALL is inside.
 * In brackets the instructions of a line: (k) kernel mode, (u) user mode. Kernel mode, events
 * masked in both modes; state in the caller's struct trip, so VCPUs do not share anything.
 */
#define __ASSEMBLER__ 1
#include "xen.h"

#define T_PROGRAM 0
#define T_TRIPS 8
#define T_NR_KERNEL 16
#define T_NR_USER 24
#define T_HYPERCALL 32
#define T_ARG1 40
#define T_ARG2 48
#define T_OWN 80
#define T_OTHER 88
#define T_KERNEL_RSP 96
#define T_USER_RSP 104
#define T_PROGRAM_RC 112
#define T_SYNC_RC 120
#define T_SWITCHES 128
#define T_MOVES 136

.macro save_regs
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
.endm

.macro restore_regs
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
.endm

.text
.globl trip_run
trip_run:
    save_regs
    mov %rdi, %r12
    mov T_TRIPS(%r12), %r13
    mov %rsp, T_KERNEL_RSP(%r12)
    mov T_OTHER(%r12), %rax
    mov (%rax), %r14
    mov $1, %eax
    cpuid
    shr $24, %ebx
    mov %ebx, %r15d
    mov T_PROGRAM(%r12), %rsi
    mov $4, %edi
    mov $HC_perfctr_op, %eax
    syscall
    /* counting starts here */
    mov %rax, T_PROGRAM_RC(%r12)       /* 1 k, once */
1:
    mov T_NR_KERNEL(%r12), %rcx        /* 1 k */
2:
    dec %rcx                           /* 2 k, nr_kernel times, with jnz */
    jnz 2b
    mov T_OWN(%r12), %rax              /* 2 k */
    incq (%rax)
    push $SEL_SS                       /* 11 k: into user mode */
    push T_USER_RSP(%r12)
    push $RFLAGS_ONE
    push $SEL_CS
    push $trip_user
    push $0
    push $0
    push $0
    push $0
    mov $HC_iret, %eax
    syscall

trip_user:
    mov T_NR_USER(%r12), %rcx          /* 1 u */
3:
    dec %rcx                           /* 2 u, nr_user times, with jnz */
    jnz 3b
    syscall                            /* 1 u */

.globl trip_syscall
trip_syscall:
    mov T_KERNEL_RSP(%r12), %rsp       /* 1 k */
    mov %r13d, %eax                    /* 6 k: the hypercall */
    and $3, %eax
    mov T_ARG2(%r12,%rax,8), %rsi
    mov T_ARG1(%r12), %edi
    mov T_HYPERCALL(%r12), %eax
    syscall
    mov T_OTHER(%r12), %rax            /* 7 k: did the other run? */
    mov (%rax), %rax
    xor %ecx, %ecx
    cmp %r14, %rax
    setne %cl
    add %rcx, T_SWITCHES(%r12)
    mov %rax, %r14
    mov $1, %eax                       /* 8 k: another pcpu? */
    cpuid
    shr $24, %ebx
    xor %ecx, %ecx
    cmp %r15d, %ebx
    setne %cl
    add %rcx, T_MOVES(%r12)
    mov %ebx, %r15d
    dec %r13                           /* 2 k */
    jnz 1b
    mov $HC_perfctr_op, %eax           /* 4 k, once */
    mov $5, %edi
    xor %esi, %esi
    syscall
    mov %rax, T_SYNC_RC(%r12)
    restore_regs
    ret

/* per trip in kernel mode: 1 + 2 * nr_kernel + 2 + 11 + 1 + 6 + 7 + 8 + 2 */

.globl stage_run
stage_run:
    save_regs
    mov %rdi, %r12
    mov %rsi, %r13
    mov %rdx, %r14
    xor %ebx, %ebx
1:
    mov (%r12,%rbx,8), %rsi
    mov $4, %edi
    mov $HC_perfctr_op, %eax
    syscall
    mov %r14, %rcx
2:
    dec %rcx
    jnz 2b
    inc %rbx
    cmp %r13, %rbx
    jne 1b
    mov $HC_perfctr_op, %eax
    mov $5, %edi
    xor %esi, %esi
    syscall
    restore_regs
    ret
