/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stretches of code between the enabling and the disabling ioctl of a counter, with their counts.
 *
 * REGION name, a, b, n_max: the stretch retires a + b * n user instructions, for 1 <= n <= n_max,
 * besides the END_INSNS of the disabling call. The enabling `syscall` is not counted: it retires
 * before the kernel enables the counter. Signals cost the instructions of their handler and of the
 * restorer. Within a region r12 = n, r13 = the event's file descriptor, r14 = PAGES_MAX_N fresh
 * zero pages, r15 = the process id.
 * The ioctls name only the leader of a group: with PERF_IOC_FLAG_GROUP the kernel would start its
 * members one after the other.
 */
#include "asm.h"
#include "handlers.h"

#define IOC_ENABLE 0x2400               /* PERF_EVENT_IOC_ENABLE */
#define IOC_DISABLE 0x2401
#define END_INSNS 5
#define LONG_MAX_N 30000000
#define SHORT_MAX_N 1000
#define PAGES_MAX_N 64
#define ONCE_MAX_N 1
#define USER32_CS 0x23                  /* Linux asm/segment.h */
#define USER_CS 0x33
#define ARCH_GET_FS 0x1003
#define NR_GETPID_32 20

    .macro REGION name:req, a:req, b:req, n_max:req
    .pushsection .rodata.regions, "a"
    .quad 8881f, region_\name, \a + END_INSNS, \b, \n_max
    .pushsection .rodata.str
8881: .asciz "\name"
    .popsection
    .popsection
    .type region_\name, @function
region_\name:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    sub $136, %rsp
    mov %edi, %r13d
    mov %rsi, %r12
    mov %rdx, %r14
    mov %ecx, %r15d
    mov $IOC_ENABLE, %esi
    xor %edx, %edx
    SYS __NR_ioctl
    .endm

    .macro END_REGION
    mov %r13d, %edi
    mov $IOC_DISABLE, %esi
    xor %edx, %edx
    SYS __NR_ioctl
    add $136, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret
    .endm

    .macro NEXT                         /* 2 */
    dec %r12
    jnz 1b
    .endm

    .section .rodata.regions, "a"
    .globl regions
    .balign 8
regions:
    .text

REGION empty, 0, 0, ONCE_MAX_N
END_REGION

REGION loop, 0, 2, LONG_MAX_N
1:  NEXT
END_REGION

REGION getppid, 0, 4, SHORT_MAX_N
1:  SYS __NR_getppid
    NEXT
END_REGION

REGION sched_yield, 0, 4, SHORT_MAX_N
1:  SYS __NR_sched_yield
    NEXT
END_REGION

REGION int80, 0, 4, SHORT_MAX_N         /* int $0x80 of 64-bit code */
1:  mov $NR_GETPID_32, %eax
    int $0x80
    NEXT
END_REGION

REGION int80_from_32, 5, 4, SHORT_MAX_N
    mov %r12d, %ecx
    mov %rsp, saved_rsp(%rip)
    ljmpl *far32(%rip)
    .code32
code32:
    mov $NR_GETPID_32, %eax
    int $0x80
    dec %ecx
    jnz code32
    ljmp $USER_CS, $code64
    .code64
code64:
    mov saved_rsp(%rip), %rsp
END_REGION

REGION first_touch, 0, 4, PAGES_MAX_N   /* a store that faults retires once */
1:  movb $1, (%r14)
    add $PAGE, %r14
    NEXT
END_REGION

REGION rep_stosb_faulting, 5, 0, PAGES_MAX_N
    mov %r14, %rdi
    mov %r12, %rcx
    shl $12, %rcx
    xor %eax, %eax
    rep stosb
END_REGION

REGION rep_strings, 0, 11, SHORT_MAX_N
1:  mov %r14, %rdi
    lea 8192(%r14), %rsi
    mov $5000, %ecx
    rep movsb
    rep stosb                           /* count 0 */
    mov $777, %ecx
    rep stosb
    mov $1000, %ecx
    repne scasb                         /* ends at the first byte: memory and al are zero */
    NEXT
END_REGION

REGION sigtrap, 0, 6, SHORT_MAX_N       /* 3, handler 1, restorer 2 */
1:  int3
    NEXT
END_REGION

REGION sigfpe, 1, 8, SHORT_MAX_N        /* 4 without the division, handler 2, restorer 2 */
    xor %ecx, %ecx
1:  mov $1, %eax
    xor %edx, %edx
    div %ecx
    NEXT
END_REGION

REGION sigsegv, 1, 6, SHORT_MAX_N       /* 2 without the load, handler 2, restorer 2 */
    xor %ecx, %ecx
1:  mov (%rcx), %al
    NEXT
END_REGION

REGION sigbus_repaired, 0, 16, SHORT_MAX_N /* 8, handler 6, restorer 2 */
1:  mov %r14, %rdi
    mov $PAGE, %esi
    xor %edx, %edx
    SYS __NR_mprotect
    movb $1, (%r14)
    NEXT
END_REGION

REGION kill_self, 0, 9, SHORT_MAX_N     /* 6, handler 1, restorer 2 */
1:  mov %r15d, %edi
    mov $SIGUSR1, %esi
    SYS __NR_kill
    NEXT
END_REGION

REGION sse, 0, 4, SHORT_MAX_N
1:  movd %r12d, %xmm0
    paddd %xmm0, %xmm0
    NEXT
END_REGION

REGION x87, 0, 4, SHORT_MAX_N
1:  fld1
    fstp %st(0)
    NEXT
END_REGION

REGION rdtsc, 0, 3, SHORT_MAX_N         /* emulated for a guest with a virtual TSC */
1:  rdtsc
    NEXT
END_REGION

REGION pushf_popf, 0, 4, SHORT_MAX_N
1:  pushf
    popf
    NEXT
END_REGION

REGION sgdt, 0, 3, SHORT_MAX_N          /* the machine has no UMIP */
1:  sgdt (%rsp)
    NEXT
END_REGION

REGION segment_load, 0, 4, SHORT_MAX_N
1:  mov %ds, %ecx
    mov %ecx, %ds
    NEXT
END_REGION

REGION arch_prctl, 0, 6, SHORT_MAX_N
1:  mov $ARCH_GET_FS, %edi
    lea (%rsp), %rsi
    SYS __NR_arch_prctl
    NEXT
END_REGION

REGION lret, 0, 7, SHORT_MAX_N
1:  mov %cs, %ecx
    push %rcx
    lea 2f(%rip), %rcx
    push %rcx
    lretq
2:  NEXT
END_REGION

REGION iret, 0, 12, SHORT_MAX_N
1:  mov %rsp, %r9
    mov %ss, %ecx
    push %rcx
    push %r9
    pushf
    mov %cs, %ecx
    push %rcx
    lea 2f(%rip), %rcx
    push %rcx
    iretq
2:  NEXT
END_REGION

REGION port_in, 0, 3, SHORT_MAX_N       /* needs iopl(3); emulated for a PV guest */
1:  inb $0x80, %al
    NEXT
END_REGION

    .globl region_on_trap, region_on_skip2, region_on_repair, restorer
region_on_trap:                         /* 1 */
    ret
region_on_skip2:                        /* 2: steps over a two-byte instruction */
    addq $2, UCONTEXT_RIP(%rdx)
    ret
region_on_repair:                       /* 6: opens the page again */
    mov %r14, %rdi
    mov $PAGE, %esi
    mov $PROT_READ_WRITE, %edx
    SYS __NR_mprotect
    ret
    RESTORER

    .section .rodata.regions, "a"
    .quad 0                             /* end of the table */

    .data
    .balign 8
saved_rsp: .quad 0
far32:  .long code32
    .word USER32_CS
    .section .note.GNU-stack, "", @progbits
