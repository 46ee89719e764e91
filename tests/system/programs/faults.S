/* SPDX-License-Identifier: GPL-2.0-only */
/* N first touches: each store faults, the kernel maps a page, the store retires once. */
#include "asm.h"

    .globl _start
_start:
    mov $N, %r12d                       /* 1 */
    lea fresh(%rip), %rdi               /* 1 */
1:  movb $1, (%rdi)                     /* N */
    add $PAGE, %rdi                     /* N */
    dec %r12d                           /* N */
    jnz 1b                              /* N */
    EXIT

    EXPECT(whole, 2 + 4 * N + EXIT_INSNS, N, N - 1, N)

    .bss
    .balign PAGE
fresh:  .skip N * PAGE
