/* SPDX-License-Identifier: GPL-2.0-only */
/* A loop of N rounds: the simplest program whose counts are arithmetic. */
#include "asm.h"

    .globl _start
_start:
    mov $N, %r8d                        /* 1 */
1:  dec %r8d                            /* N */
    jnz 1b                              /* N, taken N - 1 times */
    EXIT

    EXPECT(whole, 1 + 2 * N + EXIT_INSNS, N, N - 1, N)
