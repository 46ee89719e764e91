/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: every offset, size and constant of the ABI is what version 1 has, for every user.
 * Ground truth: the numbers here; they never change, but for lines that a new minor adds.
 * Built as C11, C++, 32-bit, Xen and Linux by layout.test; nothing is run.
 */
#include <xen/perfctr.h>

#ifdef __cplusplus
#define PIN(condition) static_assert(condition, #condition)
#else
#define PIN(condition) _Static_assert(condition, #condition)
#endif
#define SIZE(type, bytes) PIN(sizeof(struct type) == (bytes))
#define FIELD(type, field, offset, bytes)                                                          \
    PIN(__builtin_offsetof(struct type, field) == (offset) &&                                      \
        sizeof(((struct type *)0)->field) == (bytes))
#define VALUE(name, value) PIN((name) == (value))

SIZE(xen_perfctr_class, 24);
FIELD(xen_perfctr_class, nr_pmc, 0, 4);
FIELD(xen_perfctr_class, width_bits, 4, 4);
FIELD(xen_perfctr_class, rdpmc_base, 8, 4);
FIELD(xen_perfctr_class, pad, 12, 4);
FIELD(xen_perfctr_class, evtsel_mask, 16, 8);
SIZE(xen_perfctr_query, 144);
FIELD(xen_perfctr_query, magic, 0, 4);
FIELD(xen_perfctr_query, major, 4, 2);
FIELD(xen_perfctr_query, minor, 6, 2);
FIELD(xen_perfctr_query, status, 8, 4);
FIELD(xen_perfctr_query, pmu, 12, 4);
FIELD(xen_perfctr_query, features, 16, 4);
FIELD(xen_perfctr_query, nr_slots, 20, 4);
FIELD(xen_perfctr_query, level, 24, 4);
FIELD(xen_perfctr_query, allow, 28, 4);
FIELD(xen_perfctr_query, policy_gen, 32, 8);
FIELD(xen_perfctr_query, period_floor, 40, 8);
FIELD(xen_perfctr_query, classes, 48, 96);
SIZE(xen_perfctr_register, 160);
FIELD(xen_perfctr_register, vcpu, 0, 4);
FIELD(xen_perfctr_register, flags, 4, 4);
FIELD(xen_perfctr_register, counter_gfn, 8, 8);
FIELD(xen_perfctr_register, control_gfn, 16, 8);
FIELD(xen_perfctr_register, nr_ring, 24, 4);
FIELD(xen_perfctr_register, pad, 28, 4);
FIELD(xen_perfctr_register, ring_gfn, 32, 128);
SIZE(xen_perfctr_unregister, 8);
FIELD(xen_perfctr_unregister, vcpu, 0, 4);
FIELD(xen_perfctr_unregister, pad, 4, 4);
SIZE(xen_perfctr_slot, 64);
FIELD(xen_perfctr_slot, slot, 0, 2);
FIELD(xen_perfctr_slot, pmc_class, 2, 2);
FIELD(xen_perfctr_slot, pmc, 4, 2);
FIELD(xen_perfctr_slot, kind, 6, 2);
FIELD(xen_perfctr_slot, flags, 8, 4);
FIELD(xen_perfctr_slot, pad, 12, 4);
FIELD(xen_perfctr_slot, evtsel, 16, 8);
FIELD(xen_perfctr_slot, config1, 24, 8);
FIELD(xen_perfctr_slot, config2, 32, 8);
FIELD(xen_perfctr_slot, period, 40, 8);
FIELD(xen_perfctr_slot, left, 48, 8);
FIELD(xen_perfctr_slot, cookie, 56, 8);
SIZE(xen_perfctr_program, 2056);
FIELD(xen_perfctr_program, nr, 0, 4);
FIELD(xen_perfctr_program, bad, 4, 4);
FIELD(xen_perfctr_program, slot, 8, 2048);
SIZE(xen_perfctr_policy, 40);
FIELD(xen_perfctr_policy, action, 0, 4);
FIELD(xen_perfctr_policy, domid, 4, 2);
FIELD(xen_perfctr_policy, pad, 6, 2);
FIELD(xen_perfctr_policy, level, 8, 4);
FIELD(xen_perfctr_policy, allow, 12, 4);
FIELD(xen_perfctr_policy, flags, 16, 4);
FIELD(xen_perfctr_policy, budget, 20, 4);
FIELD(xen_perfctr_policy, period_floor, 24, 8);
FIELD(xen_perfctr_policy, policy_gen, 32, 8);
SIZE(xen_perfctr_counter_slot, 64);
FIELD(xen_perfctr_counter_slot, sum_user, 0, 8);
FIELD(xen_perfctr_counter_slot, sum_kernel, 8, 8);
FIELD(xen_perfctr_counter_slot, start, 16, 8);
FIELD(xen_perfctr_counter_slot, rdpmc, 24, 4);
FIELD(xen_perfctr_counter_slot, flags, 28, 4);
FIELD(xen_perfctr_counter_slot, width_bits, 32, 4);
FIELD(xen_perfctr_counter_slot, pad, 36, 4);
FIELD(xen_perfctr_counter_slot, reserved, 40, 24);
SIZE(xen_perfctr_counter_page, 2304);
FIELD(xen_perfctr_counter_page, version, 0, 4);
FIELD(xen_perfctr_counter_page, size_bytes, 4, 4);
FIELD(xen_perfctr_counter_page, seq, 8, 8);
FIELD(xen_perfctr_counter_page, policy_gen, 16, 8);
FIELD(xen_perfctr_counter_page, vcpu, 24, 4);
FIELD(xen_perfctr_counter_page, mode, 28, 4);
FIELD(xen_perfctr_counter_page, flags, 32, 4);
FIELD(xen_perfctr_counter_page, nr_slots, 36, 4);
FIELD(xen_perfctr_counter_page, slot_offset_bytes, 40, 4);
FIELD(xen_perfctr_counter_page, slot_bytes, 44, 4);
FIELD(xen_perfctr_counter_page, avail_mask, 48, 32);
FIELD(xen_perfctr_counter_page, tsc_sum, 80, 8);
FIELD(xen_perfctr_counter_page, tsc_start, 88, 8);
FIELD(xen_perfctr_counter_page, reserved, 96, 160);
FIELD(xen_perfctr_counter_page, slot, 256, 2048);
SIZE(xen_perfctr_control_page, 128);
FIELD(xen_perfctr_control_page, version, 0, 4);
FIELD(xen_perfctr_control_page, size_bytes, 4, 4);
FIELD(xen_perfctr_control_page, rdpmc, 8, 1);
FIELD(xen_perfctr_control_page, pad, 9, 7);
FIELD(xen_perfctr_control_page, nr_ring, 16, 4);
FIELD(xen_perfctr_control_page, record_bytes, 20, 4);
FIELD(xen_perfctr_control_page, records, 24, 8);
FIELD(xen_perfctr_control_page, throttled, 32, 8);
FIELD(xen_perfctr_control_page, reserved, 40, 88);
SIZE(xen_perfctr_record, 128);
FIELD(xen_perfctr_record, number, 0, 8);
FIELD(xen_perfctr_record, size_bytes, 8, 2);
FIELD(xen_perfctr_record, type, 10, 2);
FIELD(xen_perfctr_record, slot, 12, 2);
FIELD(xen_perfctr_record, mode, 14, 1);
FIELD(xen_perfctr_record, cpl, 15, 1);
FIELD(xen_perfctr_record, cookie, 16, 8);
FIELD(xen_perfctr_record, value, 24, 8);
FIELD(xen_perfctr_record, overshoot, 32, 8);
FIELD(xen_perfctr_record, tsc_cycles, 40, 8);
FIELD(xen_perfctr_record, ip, 48, 8);
FIELD(xen_perfctr_record, sp, 56, 8);
FIELD(xen_perfctr_record, bp, 64, 8);
FIELD(xen_perfctr_record, rflags, 72, 8);
FIELD(xen_perfctr_record, cs, 80, 2);
FIELD(xen_perfctr_record, ss, 82, 2);
FIELD(xen_perfctr_record, pad, 84, 4);
FIELD(xen_perfctr_record, reserved, 88, 40);
VALUE(__HYPERVISOR_perfctr_op, 0x32);
VALUE(XEN_PERFCTR_MAGIC, 0x50435831);
VALUE(XEN_PERFCTR_VERSION_MAJOR, 0x1);
VALUE(XEN_PERFCTR_VERSION_MINOR, 0);
VALUE(XEN_PERFCTR_OP_query, 0);
VALUE(XEN_PERFCTR_OP_register, 0x1);
VALUE(XEN_PERFCTR_OP_unregister, 0x2);
VALUE(XEN_PERFCTR_OP_check, 0x3);
VALUE(XEN_PERFCTR_OP_program, 0x4);
VALUE(XEN_PERFCTR_OP_sync, 0x5);
VALUE(XEN_PERFCTR_OP_policy, 0x10);
VALUE(XEN_PERFCTR_OP_accounts, 0x11);
VALUE(XEN_PERFCTR_OP_session, 0x12);
VALUE(XEN_PERFCTR_MAX_SLOTS, 0x20);
VALUE(XEN_PERFCTR_MAX_RING, 0x10);
VALUE(XEN_PERFCTR_MAX_CLASSES, 0x4);
VALUE(XEN_PERFCTR_PAGE_BYTES, 0x1000);
VALUE(XEN_PERFCTR_CLASS_CORE, 0);
VALUE(XEN_PERFCTR_CLASS_FIXED, 0x1);
VALUE(XEN_PERFCTR_KIND_OFFSET, 0);
VALUE(XEN_PERFCTR_KIND_RAW, 0x1);
VALUE(XEN_PERFCTR_KIND_SAMPLE, 0x2);
VALUE(XEN_PERFCTR_SLOT_USER, 0x1);
VALUE(XEN_PERFCTR_SLOT_KERNEL, 0x2);
VALUE(XEN_PERFCTR_SLOT_SPLIT, 0x4);
VALUE(XEN_PERFCTR_SLOT_USER_READ, 0x8);
VALUE(XEN_PERFCTR_SLOT_CREDIT, 0x10);
VALUE(XEN_PERFCTR_MODE_USER, 0);
VALUE(XEN_PERFCTR_MODE_KERNEL, 0x1);
VALUE(XEN_PERFCTR_STATUS_READY, 0);
VALUE(XEN_PERFCTR_STATUS_OFF, 0x1);
VALUE(XEN_PERFCTR_STATUS_VPMU, 0x2);
VALUE(XEN_PERFCTR_STATUS_WATCHDOG, 0x3);
VALUE(XEN_PERFCTR_STATUS_NO_PMU, 0x4);
VALUE(XEN_PERFCTR_STATUS_GUEST, 0x5);
VALUE(XEN_PERFCTR_PMU_NONE, 0);
VALUE(XEN_PERFCTR_PMU_AMD_CORE, 0x1);
VALUE(XEN_PERFCTR_PMU_SOFT, 0xff);
VALUE(XEN_PERFCTR_FEATURE_SPLIT, 0x1);
VALUE(XEN_PERFCTR_FEATURE_RAW, 0x2);
VALUE(XEN_PERFCTR_FEATURE_GATE, 0x4);
VALUE(XEN_PERFCTR_FEATURE_SAMPLE, 0x8);
VALUE(XEN_PERFCTR_FEATURE_OFFSET, 0x10);
VALUE(XEN_PERFCTR_FEATURE_CREDIT, 0x20);
VALUE(XEN_PERFCTR_LEVEL_OFF, 0);
VALUE(XEN_PERFCTR_LEVEL_COUNT, 0x1);
VALUE(XEN_PERFCTR_LEVEL_SAMPLE, 0x2);
VALUE(XEN_PERFCTR_LEVEL_RAW, 0x3);
VALUE(XEN_PERFCTR_ALLOW_ARCH, 0);
VALUE(XEN_PERFCTR_ALLOW_SAFE, 0x1);
VALUE(XEN_PERFCTR_ALLOW_ALL, 0x2);
VALUE(XEN_PERFCTR_POLICY_GET, 0);
VALUE(XEN_PERFCTR_POLICY_SET, 0x1);
VALUE(XEN_PERFCTR_POLICY_TRUSTED, 0x1);
VALUE(XEN_PERFCTR_COUNTER_FLAG_RDPMC, 0x1);
VALUE(XEN_PERFCTR_LIVE, 0x1);
VALUE(XEN_PERFCTR_STOPPED, 0x2);
VALUE(XEN_PERFCTR_THROTTLED, 0x4);
VALUE(XEN_PERFCTR_REVOKED, 0x8);
VALUE(XEN_PERFCTR_RAW, 0x10);
VALUE(XEN_PERFCTR_RECORD_SAMPLE, 0x1);

/* What must fit where. */
PIN(sizeof(struct xen_perfctr_counter_page) <= XEN_PERFCTR_PAGE_BYTES);
PIN(sizeof(struct xen_perfctr_control_page) <= XEN_PERFCTR_PAGE_BYTES);
PIN(XEN_PERFCTR_PAGE_BYTES % sizeof(struct xen_perfctr_record) == 0);
