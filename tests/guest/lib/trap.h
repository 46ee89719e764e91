/* SPDX-License-Identifier: GPL-2.0-only */
/* Traps and callbacks of both modes, with an exception table. */
#ifndef GUEST_TRAP_H
#define GUEST_TRAP_H

#include <stdbool.h>
#include "xen.h"

struct frame {
    uint64_t r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi;
    uint64_t vector;
    uint64_t error; /* on the way out: flags for the iret hypercall */
    uint64_t rip, cs, rflags, rsp, ss;
};

/* A test may look at a frame first; true: handled, resume at frame->rip. */
extern bool (*volatile trap_hook)(struct frame *f);

void trap_setup(void);
const struct trap_info *trap_list(void);
void set_callback(unsigned int type, void (*entry)(void));

void entry_syscall(void);
void entry_event(void);
void entry_failsafe(void);

/* At a fault the instruction at label `insn` continues at `fixup`, in the mode it ran in. */
#define EXTABLE(insn, fixup)                                                                       \
    ".pushsection .extable, \"a\"\n\t.quad " insn ", " fixup "\n\t.popsection\n\t"

/* Both modes. False: #GP. */
static inline bool rdpmc_safe(uint32_t index, uint64_t *value)
{
    uint32_t lo = 0, hi = 0, fault = 0;

    __asm__ volatile("1: rdpmc\n\t"
                     "jmp 3f\n\t"
                     "2: mov $1, %2\n\t"
                     "3:\n\t" EXTABLE("1b", "2b")
                     : "+a"(lo), "=d"(hi), "+r"(fault)
                     : "c"(index));
    *value = (uint64_t)hi << 32 | lo;
    return fault == 0;
}

#endif
