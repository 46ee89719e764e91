/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * THREADS threads of one process, each with its own known loop, yielding ROUNDS times. Each first
 * reads one byte of standard input: a test may hold that gate until it has attached a counter to
 * every thread. They are joined by ONE blocking read: the threads have file tables of their own, so
 * the pipe reads as ended when the last of them has left user mode for good.
 */
#include "asm.h"
#include "marker.h"

/* Defined by programs/list: THREADS (2 or 4), ROUNDS, SCALE, MARKER_ID. */
#define STACK_BYTES 4096
/* CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, but not CLONE_FILES */
#define CLONE_FLAGS 0x50b00

/* rounds of the inner loop of threads 0 to 3: short beside long */
#define INNER0 (1 * SCALE)
#define INNER1 (20 * SCALE)
#define INNER2 (150 * SCALE)
#define INNER3 (400 * SCALE)
#if THREADS == 4
#define INNER_SUM (INNER0 + INNER1 + INNER2 + INNER3)
#else
#define INNER_SUM (INNER0 + INNER1)
#endif

    .globl _start
_start:
    lea pipe_fds(%rip), %rdi            /* 1 */
    SYS __NR_pipe                       /* 2 */
    MARKER_START MARKER_ID              /* MARKER_INSNS */
    xor %r12d, %r12d                    /* 1 */
    lea stacks(%rip), %rbx              /* 1 */
1:  add $STACK_BYTES, %rbx              /* 1 each thread */
    mov $CLONE_FLAGS, %edi              /* 1 */
    mov %rbx, %rsi                      /* 1 */
    xor %edx, %edx                      /* 1 */
    xor %r10d, %r10d                    /* 1 */
    xor %r8d, %r8d                      /* 1 */
    SYS __NR_clone                      /* 2 */
    test %eax, %eax                     /* 1; the thread starts here, 1 */
    jz thread                           /* 1; 1 */
    inc %r12d                           /* 1 */
    cmp $THREADS, %r12d                 /* 1 */
    jne 1b                              /* 1 */
    mov pipe_fds + 4(%rip), %edi        /* 1 */
    SYS __NR_close                      /* 2 */
    mov pipe_fds(%rip), %edi            /* 1 */
    lea byte(%rip), %rsi                /* 1 */
    mov $1, %edx                        /* 1 */
    SYS __NR_read                       /* 2, ends with the last thread */
    MARKER_STOP MARKER_ID               /* MARKER_INSNS */
    EXIT

thread:
    lea inner(%rip), %rbx               /* 1 */
    mov (%rbx, %r12, 4), %ebp           /* 1 */
    mov $ROUNDS, %r12d                  /* 1 */
    xor %edi, %edi                      /* 1, standard input */
    lea -8(%rsp), %rsi                  /* 1 */
    mov $1, %edx                        /* 1 */
    SYS __NR_read                       /* 2, the gate */
2:  mov %ebp, %r8d                      /* 1 each round */
3:  dec %r8d                            /* inner */
    jnz 3b                              /* inner */
    SYS __NR_sched_yield                /* 2 */
    dec %r12d                           /* 1 */
    jnz 2b                              /* 1 */
    THREAD_EXIT                         /* 3 */

#define MAIN (3 + MARKER_INSNS + 2 + 13 * THREADS + 3 + 5 + MARKER_INSNS + EXIT_INSNS)
#define BEFORE_GATE (2 + 6 + SYS_INSNS)
#define AFTER_GATE(inner) (ROUNDS * (1 + 2 * (inner) + SYS_INSNS + 2) + THREAD_EXIT_INSNS)
#define BRANCHES(inner) (ROUNDS * ((inner) + 1))
#define TAKEN(inner) (ROUNDS * (inner) - 1)

    EXPECT(thread0, AFTER_GATE(INNER0), BRANCHES(INNER0), TAKEN(INNER0), BRANCHES(INNER0))
    EXPECT(thread1, AFTER_GATE(INNER1), BRANCHES(INNER1), TAKEN(INNER1), BRANCHES(INNER1))
#if THREADS == 4
    EXPECT(thread2, AFTER_GATE(INNER2), BRANCHES(INNER2), TAKEN(INNER2), BRANCHES(INNER2))
    EXPECT(thread3, AFTER_GATE(INNER3), BRANCHES(INNER3), TAKEN(INNER3), BRANCHES(INNER3))
#endif
    /* the first thread, from its blocking read on */
    EXPECT(main, MARKER_INSNS + EXIT_INSNS, 0, 0, 0)
    /* main: jz never taken, jne all but once; each thread: jz taken, then as above */
    EXPECT(whole, MAIN + THREADS * (BEFORE_GATE + AFTER_GATE(0)) + ROUNDS * 2 * INNER_SUM,
        2 * THREADS + THREADS + ROUNDS * (INNER_SUM + THREADS),
        THREADS - 1 + THREADS + ROUNDS * INNER_SUM - THREADS,
        2 * THREADS + THREADS + ROUNDS * (INNER_SUM + THREADS))

    .section .rodata
inner:  .long INNER0, INNER1, INNER2, INNER3
    .bss
    .balign 16
pipe_fds: .skip 8
byte:   .skip 8
    .balign 16
stacks: .skip THREADS * STACK_BYTES
