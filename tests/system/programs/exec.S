/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * exec in a child and then in the process itself: three images of this one program, told apart by
 * their number of arguments. The count goes on over exec; an image starts at _start.
 */
#include "asm.h"

#define LOOP2 1234
#define LOOP3 5432
#define WALL 0x40000000

    .globl _start
_start:
    mov (%rsp), %r12                    /* 1, argc; in every image */
    cmp $2, %r12                        /* 1 */
    je image2                           /* 1 */
    ja image3                           /* 1 in images 1 and 3 */
    xor %edi, %edi                      /* 1, SIG_BLOCK */
    lea all_signals(%rip), %rsi         /* 1 */
    xor %edx, %edx                      /* 1 */
    mov $8, %r10d                       /* 1 */
    SYS __NR_rt_sigprocmask             /* 2 */
    xor %edi, %edi                      /* 1 */
    xor %esi, %esi                      /* 1 */
    SYS __NR_clone                      /* 2 */
    test %eax, %eax                     /* 1; child 1 */
    jz child                            /* 1; child 1 */
    mov %eax, %edi                      /* 1 */
    xor %esi, %esi                      /* 1 */
    mov $WALL, %edx                     /* 1 */
    xor %r10d, %r10d                    /* 1 */
    SYS __NR_wait4                      /* 2 */
    lea argv3(%rip), %rsi               /* 1 */
    jmp run                             /* 1 */
child:
    lea argv2(%rip), %rsi               /* child 1 */
run:                                    /* both */
    lea self(%rip), %rdi                /* 1 */
    xor %edx, %edx                      /* 1 */
    SYS __NR_execve                     /* 2 */
    hlt                                 /* exec failed: die of SIGSEGV */

image2:
    mov $LOOP2, %r8d                    /* 1 */
1:  dec %r8d
    jnz 1b
    EXIT

image3:
    mov $LOOP3, %r8d                    /* 1 */
1:  dec %r8d
    jnz 1b
    EXIT

#define IMAGE1 (4 + 6 + 4 + 2 + 6 + 2 + 4)
#define CHILD (2 + 1 + 4)
#define IMAGE2 (3 + 1 + 2 * LOOP2 + EXIT_INSNS)
#define IMAGE3 (4 + 1 + 2 * LOOP3 + EXIT_INSNS)
    /* image 1: je, ja, jz not taken, jmp; child: jz; image 2: je taken; image 3: je, ja taken */
    EXPECT(whole, IMAGE1 + CHILD + IMAGE2 + IMAGE3,
        4 + 1 + 1 + LOOP2 + 2 + LOOP3,
        1 + 1 + 1 + (LOOP2 - 1) + 1 + (LOOP3 - 1),
        3 + 1 + 1 + LOOP2 + 2 + LOOP3)

    .section .rodata
all_signals: .quad -1
self:   .asciz "/proc/self/exe"
    .data
argv2:  .quad self, self, 0
argv3:  .quad self, self, self, 0
