/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks with constructed counts for glibc programs, and stretches that end in a known call.
 *
 * A worker is a raw clone that reads a gate, walks a list of {loop, system call} some times, calls a
 * function, walks the list again, calls another and exits. It touches no libc, no TLS and, but for
 * return addresses, no memory. worker.h holds the layout and adds the numbers up.
 */
#include "asm.h"
#include "marker.h"
#include "worker.h"

#define IOC_ENABLE 0x2400               /* PERF_EVENT_IOC_ENABLE */
#define IOC_DISABLE 0x2401

    .text
/* pid_t worker_clone(flags, stack, worker, tid word): the last is clone's ptid and ctid. */
    .globl worker_clone
    .type worker_clone, @function
worker_clone:
    mov %rdx, %r9                       /* system calls keep all but rax, rcx, r11 */
    mov %rcx, %rdx
    mov %rcx, %r10
    xor %r8d, %r8d
    SYS __NR_clone
    test %eax, %eax                     /* the worker starts here; WORKER_BIRTH: 1 */
    jz worker                           /* 1 */
    ret
worker:
    mov %r9, %r12                       /* 1 */
    mov WORKER_GATE(%r12), %rdi         /* 1 */
    test %rdi, %rdi                     /* 1 */
    js through                          /* 1 */
    lea WORKER_BYTE(%r12), %rsi         /* WORKER_AT_GATE: 1 */
    mov $1, %edx                        /* 1 */
    SYS __NR_read                       /* 2 */
through:
    mov WORKER_ROUNDS(%r12), %r13       /* WORKER_FIXED: 1 */
    call phase                          /* 1 and the phase */
    call *WORKER_MARK(%r12)             /* 1, and 2 of the function */
    mov WORKER_ROUNDS + 8(%r12), %r13   /* 1 */
    call phase                          /* 1 and the phase */
    call *WORKER_MARK + 8(%r12)         /* 1, and 2 of the function */
    THREAD_EXIT                         /* 3 */

phase:
    test %r13, %r13                     /* WORKER_FIXED, twice: 1 */
    jz 4f                               /* 1 */
2:  mov WORKER_OPS(%r12), %rbp          /* each round: 1 */
3:  mov OP_N(%rbp), %rcx                /* each operation: 1 */
1:  dec %rcx                            /* n */
    jnz 1b                              /* n */
    mov OP_ARGUMENT(%rbp), %rdi         /* 1 */
    mov OP_ARGUMENT + 8(%rbp), %rsi     /* 1 */
    mov OP_ARGUMENT + 16(%rbp), %rdx    /* 1 */
    mov OP_ARGUMENT + 24(%rbp), %r10    /* 1 */
    mov OP_CALL(%rbp), %rax             /* 1 */
    syscall                             /* 1 */
    add $OP_BYTES, %rbp                 /* 1 */
    cmp WORKER_OPS_END(%r12), %rbp      /* 1 */
    jne 3b                              /* 1 */
    dec %r13                            /* each round: 1 */
    jnz 2b                              /* 1 */
4:  ret                                 /* WORKER_FIXED, twice: 1 */

/* Spins until the gate byte is set: rounds of SPIN_INSNS with one branch; then a worker's way. */
    .globl worker_clone_spinning
    .type worker_clone_spinning, @function
worker_clone_spinning:
    mov %rdx, %r9
    mov %rcx, %rdx
    mov %rcx, %r10
    xor %r8d, %r8d
    SYS __NR_clone
    test %eax, %eax
    jz 5f
    ret
5:  mov %r9, %r12
    movb $1, WORKER_BYTE + 1(%r12)      /* says that it spins */
6:  cmpb $0, WORKER_BYTE(%r12)          /* SPIN_INSNS: 1 */
    je 6b                               /* 1 */
    jmp through

/* What a worker calls where nothing is to be marked: 2, as a marker and its return. */
    .globl worker_no_mark
    .type worker_no_mark, @function
worker_no_mark:
    nop
    ret

    .section .rodata.mark_start, "a"
    .balign 8
    .globl worker_mark_start
worker_mark_start:
    .section .rodata.mark_stop, "a"
    .balign 8
    .globl worker_mark_stop
worker_mark_stop:
    .text
    .irp id, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    .section .rodata.mark_start
    .quad 7771f
    .section .rodata.mark_stop
    .quad 7772f
    .text
7771: MARKER_START \id
    ret
7772: MARKER_STOP \id
    ret
    .endr

/*
 * bracket(fd, argument, n): enables, loops, disables. The enabling call retires before the kernel
 * enables the counter, so 2 n and BRACKET_INSNS are counted.
 */
    .globl bracket
    .type bracket, @function
bracket:
    mov %esi, %r8d
    mov %rdx, %r9
    mov $IOC_ENABLE, %esi
    mov %r8d, %edx
    SYS __NR_ioctl
1:  dec %r9                             /* n */
    jnz 1b                              /* n */
    mov $IOC_DISABLE, %esi              /* 1 */
    mov %r8d, %edx                      /* 1 */
    SYS __NR_ioctl                      /* 2 */
    ret

/*
 * read_between(fd, before, size, after, n): reads, loops, reads again. The readings differ by 2 n
 * and READ_INSNS. Returns what the second read returned.
 */
    .globl read_between
    .type read_between, @function
read_between:
    mov %rcx, %r9
    SYS __NR_read
1:  dec %r8                             /* n */
    jnz 1b                              /* n */
    mov %r9, %rsi                       /* 1 */
    SYS __NR_read                       /* 2 */
    ret
    .section .note.GNU-stack, "", @progbits
