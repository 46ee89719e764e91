/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Macros of the freestanding programs: system calls, the end of a program, and the expected counts.
 *
 * Each macro names the number of instructions it stands for, so that a program's expectation is
 * plain arithmetic. An instruction that faults or blocks counts when it retires, once; `syscall`
 * retires in user mode (AMD APM vol. 3: it completes before the first kernel instruction).
 */
#ifndef TESTS_LIB_ASM_H
#define TESTS_LIB_ASM_H

#include <asm/unistd_64.h>

#define PAGE 4096

/*
 * SYS nr: number, call. Clobbers rax, rcx, r11. The assembler ignores case in macro names, so it
 * cannot be called SYSCALL.
 */
#define SYS_INSNS 2
.macro SYS nr
    mov $\nr, %eax
    syscall
.endm

/* EXIT: number, status 0, call; the last `syscall` retires too. */
#define EXIT_INSNS 3
.macro EXIT
    mov $__NR_exit_group, %eax
    xor %edi, %edi
    syscall
.endm

#define THREAD_EXIT_INSNS 3
.macro THREAD_EXIT
    mov $__NR_exit, %eax
    xor %edi, %edi
    syscall
.endm

/*
 * EXPECT(name, insn, branches, taken, conditional): one record of section .expect, which is not
 * loaded; expected.c prints it. `name` is `whole` for the program with its children, else a part.
 * Branches are jmp, jcc, call, ret and loop, as machine/README.md states for event 0xc2.
 */
#define EXPECT_NAME_BYTES 16
#define EXPECT(name, insn, branches, taken, conditional)                                           \
    .pushsection .expect, "", @progbits;                                                           \
    .balign EXPECT_NAME_BYTES, 0;                                                                  \
    .ascii #name;                                                                                  \
    .balign EXPECT_NAME_BYTES, 0;                                                                  \
    .quad insn, branches, taken, conditional;                                                      \
    .popsection

#endif
