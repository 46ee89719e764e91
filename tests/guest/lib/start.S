/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entry points of a micro-guest: boot, traps and callbacks from Xen, user mode and back. Kernel
 * mode with events masked; each VCPU has its own stacks, so no locks.
 */
#define __ASSEMBLER__ 1
#include "xen.h"
#include "vcpu.h"

.macro elfnote type, kind:vararg
    .pushsection .note.Xen, "a", @note
    .balign 4
    .long 4, 2f - 1f, \type
    .asciz "Xen"
1:  \kind
2:  .balign 4
    .popsection
.endm

elfnote 1, .quad start                 /* ENTRY */
elfnote 3, .quad VIRT_BASE             /* VIRT_BASE */
elfnote 4, .quad VIRT_BASE             /* PADDR_OFFSET: p_paddr equals p_vaddr */
elfnote 5, .asciz "xen-3.0"            /* XEN_VERSION */
elfnote 6, .asciz "perfctr-test"       /* GUEST_OS */
elfnote 8, .asciz "generic"            /* LOADER */
elfnote 9, .asciz "yes"                /* PAE_MODE */

.section .text.start, "ax"
.globl start
start:
    cld
    lea vcpu0_stack_top(%rip), %rsp
    mov %rsi, %rdi
    call guest_start
1:  jmp 1b

/* A further VCPU: %rdi is its struct vcpu. */
.globl vcpu_entry
vcpu_entry:
    cld
    call vcpu_main
1:  jmp 1b

.text
/* Xen's frame is { rcx, r11, [error], rip, cs, rflags, rsp, ss }: make it a struct frame. */
.macro entry name, vector, error=0
.globl entry_\name
entry_\name:
    pop %rcx
    pop %r11
    .if \error == 0
    push $0
    .endif
    push $\vector
    jmp entry_common
.endm

entry divide, 0
entry debug, 1
entry break, 3
entry invalid, 6
entry not_present, 11, 1
entry stack, 12, 1
entry protection, 13, 1
entry page, 14, 1
entry int80, 0x80
entry syscall_call, VECTOR_SYSCALL
entry event, VECTOR_EVENT

.globl entry_failsafe
entry_failsafe:
    pop %rcx
    pop %r11
    lea 32(%rsp), %rsp                 /* ds, es, fs, gs: what could not be loaded is NUL now */
    push $0
    push $VECTOR_FAILSAFE
    jmp entry_common

entry_common:
    push %rdi
    push %rsi
    push %rdx
    push %rcx
    push %rax
    push %r8
    push %r9
    push %r10
    push %r11
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    cld
    mov %rsp, %rdi
    call trap_dispatch
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    pop %r11
    pop %r10
    pop %r9
    pop %r8
    pop %rax
    pop %rcx
    pop %rdx
    pop %rsi
    pop %rdi
    mov %rcx, (%rsp)                   /* over the vector; trap_dispatch made the error flags */
    push %r11
    push %rax
    mov $HC_iret, %eax
    syscall
    ud2

/* SYSCALL from user mode: %rax = 0 ends user_run with %rdi, else see trap_dispatch. */
.globl entry_syscall
entry_syscall:
    test %eax, %eax
    jnz entry_syscall_call
    mov %gs:VCPU_KERNEL_RSP, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    mov %rdi, %rax
    ret

/* uint64_t user_run(entry, arg0, arg1): run a function in user mode, return what it returns. */
.globl user_run
user_run:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, %gs:VCPU_KERNEL_RSP
    push $SEL_SS
    push %gs:VCPU_USER_RSP
    push %gs:VCPU_USER_RFLAGS
    push $SEL_CS
    push %rdi
    push $0
    push $0
    push $0
    push $0
    mov %rsi, %rdi
    mov %rdx, %rsi
    mov $HC_iret, %eax
    syscall
    ud2

/* User mode: where a function called by user_run returns to. */
.globl user_return
user_return:
    mov %rax, %rdi
    xor %eax, %eax
    syscall
    ud2
