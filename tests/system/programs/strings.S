/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * REP strings, N rounds: each retires as one instruction however many iterations it makes (none
 * with a count of 0), and also when page faults interrupt it (Intel SDM vol. 3, "Instruction
 * Retired" event; AMD PPR PMCx0C0).
 */
#include "asm.h"

#define FRESH_PAGES 16

    .globl _start
_start:
    mov $N, %r12d                       /* 1 */
    lea fresh(%rip), %rdi               /* 1 */
    mov $(FRESH_PAGES * PAGE), %ecx     /* 1 */
    mov $0x5a, %eax                     /* 1 */
    rep stosb                           /* 1, a page fault every 4096 iterations */
round:
    lea from(%rip), %rsi                /* 1 */
    lea to(%rip), %rdi                  /* 1 */
    mov $5000, %ecx                     /* 1 */
    rep movsb                           /* 1 */
    mov $777, %ecx                      /* 1 */
    rep stosb                           /* 1 */
    xor %ecx, %ecx                      /* 1 */
    rep stosb                           /* 1, no iteration */
    lea from(%rip), %rdi                /* 1 */
    mov $4096, %ecx                     /* 1 */
    xor %eax, %eax                      /* 1 */
    repe scasb                          /* 1, from is all zero: 4096 iterations */
    repne scasb                         /* 1, count 0: no iteration */
    lea from(%rip), %rsi                /* 1 */
    lea fresh(%rip), %rdi               /* 1 */
    mov $100, %ecx                      /* 1 */
    repe cmpsb                          /* 1, the first bytes differ: 1 iteration */
    mov $64, %ecx                       /* 1 */
    rep lodsq                           /* 1 */
    dec %r12d                           /* 1 */
    jnz round                           /* 1 */
    EXIT

    EXPECT(whole, 5 + 21 * N + EXIT_INSNS, N, N - 1, N)

    .bss
    .balign PAGE
from:   .skip 8192
to:     .skip 8192
fresh:  .skip FRESH_PAGES * PAGE
