/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: register and unregister take nothing but ordinary writable memory of the caller, for
 * a VCPU that is the caller or down, and answer all else by the documented errno.
 * Ground truth: include/xen/perfctr.h; what the frames are is known from how they were made.
 */
#include "pcx.h"

#define BIT(n) (1ull << (n))

static uint8_t gdt_page[PAGE_BYTES] PAGE_ALIGNED;
static uint8_t freed_page[PAGE_BYTES] PAGE_ALIGNED;
static volatile bool stop_other;

static uint64_t grant_frame(void)
{
    static uint64_t frame;
    static struct {
        uint16_t dom, pad0;
        uint32_t nr_frames;
        int16_t status;
        uint16_t pad1[3];
        uint64_t *list;
    } op = {DOMID_SELF, 0, 1, 0, {0}, &frame};

    hypercall3(HC_grant_table_op, GNTTABOP_SETUP_TABLE, (uint64_t)&op, 1);
    return op.status == 0 ? frame : 0;
}

static uint64_t free_frame(void)
{
    uint64_t mfn = mfn_of(freed_page);
    struct memory_reservation r = {(uint64_t)&mfn, 1, 0, 0, DOMID_SELF, {0}};

    map_page(freed_page, 0, 0);
    if (hypercall2(HC_memory_op, XENMEM_DECREASE_RESERVATION, (uint64_t)&r) != 1) {
        error("no frame given back");
    }
    return mfn;
}

static uint64_t gdt_frame(void)
{
    uint64_t mfn = mfn_of(gdt_page);

    map_page(gdt_page, mfn, PTE_RO);
    if (hypercall2(HC_set_gdt, (uint64_t)&mfn, 512) != 0) {
        error("set_gdt refused");
    }
    return mfn;
}

static void bad_frames(void)
{
    const struct {
        const char *what;
        uint64_t mfn;
    } frames[] = {
        {"an L4 page table", mfn_of((void *)start_info->pt_base)},
        {"a user L4 page table", user_cr3() / PAGE_BYTES},
        {"an L3 page table", mfn_of(page_table_of(frames, 3))},
        {"an L2 page table", mfn_of(page_table_of(frames, 2))},
        {"an L1 page table", mfn_of(page_table_of(frames, 1))},
        {"a GDT frame", gdt_frame()},
        {"the shared info frame of Xen's heap", start_info->shared_info_maddr / PAGE_BYTES},
        {"a grant table frame of Xen's heap", grant_frame()},
        {"a frame given back to Xen", free_frame()},
        {"a frame of Xen itself", 0x200},
        {"frame 0", 0},
        {"a frame of the VGA hole", 0xb8},
        {"the local APIC", 0xfee00},
        {"an I/O APIC", 0xfec00},
        {"a frame above all memory", 0x40000000},
        {"a frame above the address width", BIT(52)},
        {"a good frame with high bits", mfn_of(gdt_page) | BIT(60)},
        {"frame -1", UINT64_MAX},
    };
    struct xen_perfctr_register arg;
    unsigned int n;

    for (n = 0; n < ARRAY_LEN(frames); n++) {
        pcx_register_arg(&arg, 0);
        arg.counter_gfn = frames[n].mfn;
        check_eq(pcx_op(XEN_PERFCTR_OP_register, &arg), -X_ENXIO, "register: counter page: %s",
                 frames[n].what);
        pcx_register_arg(&arg, 0);
        arg.control_gfn = frames[n].mfn;
        check_eq(pcx_op(XEN_PERFCTR_OP_register, &arg), -X_ENXIO, "register: control page: %s",
                 frames[n].what);
        pcx_register_arg(&arg, 0);
        arg.ring_gfn[arg.nr_ring - 1] = frames[n].mfn;
        check_eq(pcx_op(XEN_PERFCTR_OP_register, &arg), -X_ENXIO, "register: ring page: %s",
                 frames[n].what);
    }
}

static void spin(void *arg)
{
    (void)arg;
    while (!stop_other) {
        sched_yield();
    }
}

static void other_vcpu(void)
{
    if (!vcpu_exists(1)) {
        skip("a VCPU that is up", "one VCPU only");
        return;
    }
    if (!vcpu_start(1, spin, NULL)) {
        error("VCPU 1 does not start");
        return;
    }
    check_eq(pcx_register(1), -X_EBUSY, "register: a VCPU that is up");
    stop_other = true;
    check(vcpu_join(1, 1000000000), "VCPU 1 goes down");
    check_eq(pcx_register(1), 0, "register: a VCPU that is down");
    stop_other = false;
    vcpu_start(1, spin, NULL);
    check_eq(pcx_unregister(1), -X_EBUSY, "unregister: a VCPU that is up");
    stop_other = true;
    check(vcpu_join(1, 1000000000), "VCPU 1 goes down");
    check_eq(pcx_unregister(1), 0, "unregister: a VCPU that is down");
    check_eq(pcx_unregister(1), -X_ENOENT, "unregister: twice");
}

static void duplicates(void)
{
    struct xen_perfctr_register arg;

    pcx_register_arg(&arg, 0);
    arg.control_gfn = arg.counter_gfn;
    check_eq(pcx_op(XEN_PERFCTR_OP_register, &arg), -X_EINVAL, "register: counter = control");
    pcx_register_arg(&arg, 0);
    arg.ring_gfn[0] = arg.counter_gfn;
    check_eq(pcx_op(XEN_PERFCTR_OP_register, &arg), -X_EINVAL, "register: ring = counter");
    pcx_register_arg(&arg, 0);
    arg.ring_gfn[1] = arg.control_gfn;
    check_eq(pcx_op(XEN_PERFCTR_OP_register, &arg), -X_EINVAL, "register: ring = control");
    pcx_register_arg(&arg, 0);
    arg.ring_gfn[1] = arg.ring_gfn[0];
    check_eq(pcx_op(XEN_PERFCTR_OP_register, &arg), -X_EINVAL, "register: ring frame twice");
}

static void again(void)
{
    const volatile struct xen_perfctr_counter_page *page = &pcx_pages[0].counter;
    struct xen_perfctr_program p = {0};
    struct xen_perfctr_register arg;
    uint64_t seq;

    check_eq(pcx_register(0), 0, "register");
    pcx_add(&p, 0, 0, XEN_PERFCTR_KIND_OFFSET, FLAGS_SPLIT);
    check_eq(pcx_program(&p), 0, "program");
    pcx_register_arg(&arg, 0);
    arg.nr_ring = 1;
    check_eq(pcx_op(XEN_PERFCTR_OP_register, &arg), -X_EEXIST, "register: fewer ring frames");
    pcx_register_arg(&arg, 0);
    arg.counter_gfn = mfn_of(&pcx_pages[1].counter);
    check_eq(pcx_op(XEN_PERFCTR_OP_register, &arg), -X_EEXIST, "register: another counter frame");
    pcx_register_arg(&arg, 0);
    arg.control_gfn = mfn_of(&pcx_pages[1].control);
    check_eq(pcx_op(XEN_PERFCTR_OP_register, &arg), -X_EEXIST, "register: another control frame");
    check((pcx_value(0, 0).flags & XEN_PERFCTR_LIVE) != 0, "EEXIST leaves slot 0 alive");
    seq = page->seq;
    check_eq(pcx_register(0), 0, "register: the same frames");
    check(page->seq > seq && page->seq % 2 == 0, "register: seq %lx is fresh after %lx", page->seq,
          seq);
    check_eq(pcx_value(0, 0).flags, 0, "register: the same frames: slots are free");
    check_eq(pcx_unregister(0), 0, "unregister");
}

void test_main(void)
{
    pcx_need_ready();
    property("register: frames named twice");
    duplicates();
    property("register: frames that are not ordinary memory");
    bad_frames();
    check_eq(pcx_sync(), -X_ENOENT, "nothing of that registered the VCPU");
    property("register and unregister of another VCPU");
    other_vcpu();
    property("register again");
    again();
}
