/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CHILDREN processes at once, each with its own loop, then all are reaped. Raw clone with no exit
 * signal and all signals blocked: no call of this program is ever restarted.
 */
#include "asm.h"

#define CHILDREN 4
#define LOOP 1000                       /* child c makes c * LOOP rounds, c = CHILDREN .. 1 */
#define SIG_BLOCK 0
#define WALL 0x40000000                 /* __WALL: children without exit signal too */

    .globl _start
_start:
    xor %edi, %edi                      /* 1, SIG_BLOCK */
    lea all_signals(%rip), %rsi         /* 1 */
    xor %edx, %edx                      /* 1 */
    mov $8, %r10d                       /* 1 */
    SYS __NR_rt_sigprocmask             /* 2 */
    mov $CHILDREN, %r12d                /* 1 */
1:  xor %edi, %edi                      /* 1, copies everything, no exit signal */
    xor %esi, %esi                      /* 1, same stack pointer */
    xor %edx, %edx                      /* 1 */
    SYS __NR_clone                      /* 2 */
    test %eax, %eax                     /* 1; the child starts here, 1 */
    jz child                            /* 1; 1 */
    dec %r12d                           /* 1 */
    jnz 1b                              /* 1 */
    mov $CHILDREN, %r12d                /* 1 */
2:  mov $-1, %rdi                       /* 1 */
    xor %esi, %esi                      /* 1 */
    mov $WALL, %edx                     /* 1 */
    xor %r10d, %r10d                    /* 1 */
    SYS __NR_wait4                      /* 2 */
    dec %r12d                           /* 1 */
    jnz 2b                              /* 1 */
    EXIT

child:
    imul $LOOP, %r12d, %r8d             /* 1 */
1:  dec %r8d                            /* rounds */
    jnz 1b                              /* rounds */
    EXIT

#define ROUNDS (LOOP * CHILDREN * (CHILDREN + 1) / 2)
#define PARENT (6 + 1 + 9 * CHILDREN + 1 + 8 * CHILDREN + EXIT_INSNS)
#define CHILD_FIXED (2 + 1 + EXIT_INSNS)
    /* parent: jz never taken, two loops; child: jz taken, one loop */
    EXPECT(whole, PARENT + CHILDREN * CHILD_FIXED + 2 * ROUNDS,
        3 * CHILDREN + CHILDREN + ROUNDS,
        2 * (CHILDREN - 1) + CHILDREN + ROUNDS - CHILDREN,
        3 * CHILDREN + CHILDREN + ROUNDS)

    .section .rodata
all_signals: .quad -1
