/* SPDX-License-Identifier: GPL-2.0-only */
/* Each kind of near branch, N rounds: taken and not taken, direct and indirect, call, return. */
#include "asm.h"

    .globl _start
_start:
    mov $N, %r12d                       /* 1 */
    lea subroutine(%rip), %rbx          /* 1 */
    lea 5f(%rip), %rbp                  /* 1 */
round:                                  /* each round:          insn branch taken conditional */
    xor %eax, %eax                      /* sets ZF              1 */
    jnz 1f                              /* never taken          1    1      0     1 */
1:  jz 2f                               /* always taken         1    1      1     1 */
    nop                                 /* jumped over          0 */
2:  jmp 3f                              /*                      1    1      1     0 */
3:  call subroutine                     /* with its ret         2    2      2     0 */
    call *%rbx                          /* with its ret         2    2      2     0 */
    xor %ecx, %ecx                      /*                      1 */
    jrcxz 4f                            /* rcx = 0: taken       1    1      1     1 */
    nop                                 /* jumped over          0 */
4:  jmp *%rbp                           /*                      1    1      1     0 */
5:  mov $3, %ecx                        /*                      1 */
6:  nop                                 /*                      3 */
    loop 6b                             /* 3 rounds             3    3      2     3 */
    dec %r12d                           /*                      1 */
    jnz round                           /* all but the last     1    1      1     1 */
    EXIT

subroutine:
    ret

    /* The last `jnz round` is not taken. */
    EXPECT(whole, 3 + 20 * N + EXIT_INSNS, 13 * N, 11 * N - 1, 7 * N)
