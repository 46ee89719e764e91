/* SPDX-License-Identifier: GPL-2.0-only */
/* N system calls that neither block nor fail; with INT80 through the 32-bit software interrupt. */
#include "asm.h"

#ifdef INT80
#define NR_GETPPID_32 64                /* Linux arch/x86/entry/syscalls/syscall_32.tbl */
#define CALL_GETPPID mov $NR_GETPPID_32, %eax; int $0x80
#else
#define CALL_GETPPID SYS __NR_getppid
#endif

    .globl _start
_start:
    mov $N, %r12d                       /* 1 */
1:  CALL_GETPPID                        /* 2 N */
    dec %r12d                           /* N */
    jnz 1b                              /* N */
    EXIT

    EXPECT(whole, 1 + 4 * N + EXIT_INSNS, N, N - 1, N)
