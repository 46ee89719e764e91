/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * N rounds of synchronous signals: a trap, two faults that the handler steps over, a fault that the
 * handler repairs, and a kill of the process itself. A faulting instruction retires only when it is
 * run again and succeeds; int3 is a trap: it retires. No ud2: the machine counts it once too often.
 */
#include "asm.h"
#include "handlers.h"

    .globl _start
_start:
    SIGACTION SIGTRAP, on_trap          /* 5 SIGACTION_INSNS */
    SIGACTION SIGFPE, on_skip2
    SIGACTION SIGSEGV, on_repair
    SIGACTION SIGBUS, on_skip2
    SIGACTION SIGUSR1, on_trap
    SYS __NR_getpid                     /* 2 */
    mov %eax, %ebp                      /* 1 */
    lea shut(%rip), %rbx                /* 1 */
    mov $N, %r12d                       /* 1 */
round:                                  /* each round */
    int3                                /* 1, handler */
    mov $1, %eax                        /* 1 */
    xor %edx, %edx                      /* 1 */
    xor %ecx, %ecx                      /* 1 */
    div %ecx                            /* 0, two bytes, stepped over by its handler */
    mov %rbx, %rdi                      /* 1 */
    mov $PAGE, %esi                     /* 1 */
    xor %edx, %edx                      /* 1, PROT_NONE */
    SYS __NR_mprotect                   /* 2 */
    movb $1, (%rbx)                     /* 1, after its handler opened the page */
    mov %ebp, %edi                      /* 1 */
    mov $SIGUSR1, %esi                  /* 1 */
    SYS __NR_kill                       /* 2, handler */
    dec %r12d                           /* 1 */
    jnz round                           /* 1 */
    EXIT

on_trap:                                /* 1 */
    ret
on_skip2:                               /* 2 */
    addq $2, UCONTEXT_RIP(%rdx)
    ret
on_repair:                              /* 6 */
    mov %rbx, %rdi
    mov $PAGE, %esi
    mov $PROT_READ_WRITE, %edx
    SYS __NR_mprotect
    ret
    RESTORER

#define ROUND (16 + (1 + 2 + 6 + 1) + 4 * RESTORER_INSNS)
    /* branches: in each round four handler returns and the loop's own */
    EXPECT(whole, 5 * SIGACTION_INSNS + 5 + N * ROUND + EXIT_INSNS, 5 * N, 5 * N - 1, N)

    .bss
    .balign PAGE
shut:   .skip PAGE
