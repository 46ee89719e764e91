/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two processes, bound to CPU 0 and CPU 1, hand a byte to each other ROUNDS times: neither can go
 * on before the other has run. Where the two CPUs share a physical one, each hand-over switches it.
 */
#include "asm.h"
#include "marker.h"

#define LOOP_PARENT 100
#define LOOP_CHILD 700
#define WALL 0x40000000
#define MASK_BYTES 8

    .macro BIND mask                    /* 5; fails without harm where there is no such CPU */
    xor %edi, %edi
    mov $MASK_BYTES, %esi
    lea \mask(%rip), %rdx
    SYS __NR_sched_setaffinity
    .endm
#define BIND_INSNS 5

    .macro TRANSFER call, fd            /* 5 */
    mov \fd(%rip), %edi
    lea byte(%rip), %rsi
    mov $1, %edx
    SYS \call
    .endm
#define TRANSFER_INSNS 5

    .globl _start
_start:
    xor %edi, %edi                      /* 1, SIG_BLOCK */
    lea all_signals(%rip), %rsi         /* 1 */
    xor %edx, %edx                      /* 1 */
    mov $8, %r10d                       /* 1 */
    SYS __NR_rt_sigprocmask             /* 2 */
    lea to_child(%rip), %rdi            /* 1 */
    SYS __NR_pipe                       /* 2 */
    lea to_parent(%rip), %rdi           /* 1 */
    SYS __NR_pipe                       /* 2 */
    MARKER_START MARKER_ID              /* MARKER_INSNS */
    mov $ROUNDS, %r12d                  /* 1 */
    xor %edi, %edi                      /* 1, copies everything, no exit signal */
    xor %esi, %esi                      /* 1 */
    SYS __NR_clone                      /* 2 */
    test %eax, %eax                     /* 1; child 1 */
    jz child                            /* 1; child 1 */
    mov %eax, %r13d                     /* 1 */
    BIND cpu0
1:  mov $LOOP_PARENT, %r8d              /* 1 each round */
2:  dec %r8d                            /* LOOP_PARENT */
    jnz 2b                              /* LOOP_PARENT */
    TRANSFER __NR_write, to_child + 4
    TRANSFER __NR_read, to_parent
    dec %r12d                           /* 1 */
    jnz 1b                              /* 1 */
    mov %r13d, %edi                     /* 1 */
    xor %esi, %esi                      /* 1 */
    mov $WALL, %edx                     /* 1 */
    xor %r10d, %r10d                    /* 1 */
    SYS __NR_wait4                      /* 2 */
    MARKER_STOP MARKER_ID               /* MARKER_INSNS */
    EXIT

child:
    BIND cpu1
1:  TRANSFER __NR_read, to_child        /* each round */
    mov $LOOP_CHILD, %r8d               /* 1 */
2:  dec %r8d                            /* LOOP_CHILD */
    jnz 2b                              /* LOOP_CHILD */
    TRANSFER __NR_write, to_parent + 4
    dec %r12d                           /* 1 */
    jnz 1b                              /* 1 */
    EXIT

#define ROUND(loop) (1 + 2 * (loop) + 2 * TRANSFER_INSNS + 2)
#define BOTH_LOOPS (LOOP_PARENT + LOOP_CHILD)
    EXPECT(whole, 12 + MARKER_INSNS + 7 + 1 + BIND_INSNS + ROUNDS * ROUND(LOOP_PARENT)
        + 6 + MARKER_INSNS + EXIT_INSNS
        + 2 + BIND_INSNS + ROUNDS * ROUND(LOOP_CHILD) + EXIT_INSNS,
        2 + ROUNDS * (BOTH_LOOPS + 2),
        1 + ROUNDS * BOTH_LOOPS - 2,
        2 + ROUNDS * (BOTH_LOOPS + 2))

    .section .rodata
all_signals: .quad -1
cpu0:   .quad 1
cpu1:   .quad 2
    .bss
    .balign 8
to_child: .skip 8
to_parent: .skip 8
byte:   .skip 8
