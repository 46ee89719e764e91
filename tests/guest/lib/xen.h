/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few numbers and structs of Xen's PV interface that the micro-guests use, declared anew: the
 * interface is frozen, and so the guests build without an unpacked Xen. Usable from assembler up to
 * the line that says so.
 */
#ifndef GUEST_XEN_H
#define GUEST_XEN_H

#define VIRT_BASE 0xffffffff80000000

#define HC_set_trap_table 0
#define HC_mmu_update 1
#define HC_set_gdt 2
#define HC_stack_switch 3
#define HC_update_descriptor 10
#define HC_memory_op 12
#define HC_update_va_mapping 14
#define HC_set_timer_op 15
#define HC_xen_version 17
#define HC_console_io 18
#define HC_grant_table_op 20
#define HC_iret 23
#define HC_vcpu_op 24
#define HC_set_segment_base 25
#define HC_mmuext_op 26
#define HC_sched_op 29
#define HC_callback_op 30
#define HC_event_channel_op 32
#define HC_physdev_op 33
#define HC_perfctr_op 50

/* Selectors of Xen's own GDT part: ring 3 in both guest modes. */
#define SEL_CS 0xe033
#define SEL_SS 0xe02b
#define SEL_KERNEL_CS (SEL_CS & ~3)

#define IRET_IN_SYSCALL 0x100
#define RFLAGS_IF 0x200
#define RFLAGS_ONE 0x002

#ifndef __ASSEMBLER__
#include <stdint.h>

#define CONSOLEIO_WRITE 0
#define SEGBASE_GS_KERNEL 2

#define SCHEDOP_YIELD 0
#define SCHEDOP_SHUTDOWN 2
#define SCHEDOP_POLL 3
#define SCHEDOP_PIN_OVERRIDE 7
#define SHUTDOWN_REBOOT 1

#define VCPUOP_INITIALISE 0
#define VCPUOP_UP 1
#define VCPUOP_DOWN 2
#define VCPUOP_IS_UP 3
#define VCPUOP_GET_RUNSTATE_INFO 4
#define VCPUOP_STOP_PERIODIC_TIMER 7

#define CALLBACKOP_REGISTER 0
#define CALLBACKTYPE_EVENT 0
#define CALLBACKTYPE_FAILSAFE 1
#define CALLBACKTYPE_SYSCALL 2
#define CALLBACKF_MASK_EVENTS 1

#define MMUEXT_PIN_L1_TABLE 0
#define MMUEXT_PIN_L4_TABLE 3
#define MMUEXT_UNPIN_TABLE 4
#define MMUEXT_NEW_USER_BASEPTR 15

#define UVMF_INVLPG 2
#define UVMF_ALL 4

#define XENMEM_DECREASE_RESERVATION 1
#define XENMEM_POPULATE_PHYSMAP 6
#define GNTTABOP_SETUP_TABLE 2
#define EVTCHNOP_BIND_VIRQ 1
#define VIRQ_TIMER 0
#define PHYSDEVOP_SET_IOPL 6
#define DOMID_SELF 0x7ff0

#define VGCF_IN_KERNEL 4
#define VGCF_FAILSAFE_DISABLES_EVENTS 8
#define VGCF_SYSCALL_DISABLES_EVENTS 16

struct start_info {
    char magic[32];
    uint64_t nr_pages;
    uint64_t shared_info_maddr;
    uint32_t flags;
    uint32_t pad0;
    uint64_t store_mfn;
    uint32_t store_evtchn;
    uint32_t pad1;
    uint64_t console[2];
    uint64_t pt_base;
    uint64_t nr_pt_frames;
    uint64_t mfn_list;
    uint64_t mod_start;
    uint64_t mod_len;
    char cmd_line[1024];
};

struct vcpu_time_info {
    uint32_t version;
    uint32_t pad0;
    uint64_t tsc_timestamp;
    uint64_t system_time;
    uint32_t tsc_to_system_mul;
    int8_t tsc_shift;
    uint8_t pad1[3];
};

struct vcpu_info {
    uint8_t upcall_pending;
    uint8_t upcall_mask;
    uint8_t pad[6];
    uint64_t pending_sel;
    uint64_t arch[2];
    struct vcpu_time_info time;
};

struct shared_info {
    struct vcpu_info vcpu[32];
    uint64_t evtchn_pending[64];
    uint64_t evtchn_mask[64];
};

struct trap_info {
    uint8_t vector;
    uint8_t flags; /* bits 0-1: DPL, bit 2: mask events */
    uint16_t cs;
    uint32_t pad;
    uint64_t address;
};

struct cpu_user_regs {
    uint64_t r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
    uint32_t error_code, entry_vector;
    uint64_t ip;
    uint16_t cs, pad0;
    uint8_t saved_upcall_mask, pad1[3];
    uint64_t flags, sp;
    uint64_t ss, es, ds, fs, gs;
};

struct vcpu_context {
    uint8_t fpu[512];
    uint64_t flags;
    struct cpu_user_regs user_regs;
    struct trap_info traps[256];
    uint64_t ldt_base, ldt_ents;
    uint64_t gdt_frames[16], gdt_ents;
    uint64_t kernel_ss, kernel_sp;
    uint64_t ctrlreg[8]; /* [1]: user page table, [3]: kernel page table */
    uint64_t debugreg[8];
    uint64_t event_callback, failsafe_callback, syscall_callback;
    uint64_t vm_assist;
    uint64_t fs_base, gs_base_kernel, gs_base_user;
};
_Static_assert(sizeof(struct vcpu_context) == 5168, "layout of vcpu_guest_context");

struct callback_register {
    uint16_t type;
    uint16_t flags;
    uint32_t pad;
    uint64_t address;
};

struct mmuext_op {
    uint32_t cmd;
    uint32_t pad;
    uint64_t arg1; /* a frame or an address, by cmd */
    uint64_t arg2;
};

struct mmu_update {
    uint64_t ptr; /* machine address of the entry; bits 0-1: kind of update */
    uint64_t val;
};

struct memory_reservation {
    uint64_t extent_start;
    uint64_t nr_extents;
    uint32_t extent_order;
    uint32_t mem_flags;
    uint16_t domid;
    uint16_t pad[3];
};

struct runstate_info {
    int32_t state; /* 0 running, 1 runnable, 2 blocked, 3 offline */
    uint32_t pad;
    uint64_t state_entry_time;
    uint64_t time[4];
};

struct sched_poll {
    uint64_t ports;
    uint32_t nr_ports;
    uint32_t pad;
    uint64_t timeout;
};

#endif
#endif
