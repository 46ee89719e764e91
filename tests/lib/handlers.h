/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals of freestanding assembler programs: installing a handler, returning from it. */
#ifndef TESTS_LIB_HANDLERS_H
#define TESTS_LIB_HANDLERS_H

/* Linux arch/x86/include/uapi/asm/signal.h, include/uapi/asm-generic/mman-common.h */
#define SIGTRAP 5
#define SIGBUS 7
#define SIGFPE 8
#define SIGUSR1 10
#define SIGSEGV 11
#define SA_SIGINFO_RESTORER_NODEFER 0x44000004
#define SIGSET_BYTES 8
#define PROT_READ_WRITE 3

/* offsetof(struct ucontext, uc_mcontext.ip): flags and link 16, stack 24, 16 registers before ip */
#define UCONTEXT_RIP (16 + 24 + 16 * 8)

/* SIGACTION signal, handler: with a struct sigaction of its own; four moves and a call. */
#define SIGACTION_INSNS 6
.macro SIGACTION signal, handler
    .pushsection .data
9991: .quad \handler, SA_SIGINFO_RESTORER_NODEFER, restorer, 0
    .popsection
    mov $\signal, %edi
    lea 9991b(%rip), %rsi
    xor %edx, %edx
    mov $SIGSET_BYTES, %r10d
    SYS __NR_rt_sigaction
.endm

#define RESTORER_INSNS 2
.macro RESTORER
restorer:
    SYS __NR_rt_sigreturn
.endm

#endif
