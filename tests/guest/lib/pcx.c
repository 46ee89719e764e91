/* SPDX-License-Identifier: GPL-2.0-only */
/* The perfctr hypercall as the tests use it. Kernel mode; each VCPU touches its own pages only. */
#include "pcx.h"

_Static_assert(offsetof(struct trip, own_progress) == 80, "trip.S");
_Static_assert(offsetof(struct trip, kernel_rsp) == 96, "trip.S");
_Static_assert(offsetof(struct trip, moves) == 136, "trip.S");

uint64_t pcx_cookie;
volatile struct pcx_pages pcx_pages[NR_VCPUS] PAGE_ALIGNED;

const struct xen_perfctr_query *pcx_need_ready(void)
{
    static struct xen_perfctr_query query;
    long rc = pcx_op(XEN_PERFCTR_OP_query, &query);

    if (rc != 0 || query.magic != XEN_PERFCTR_MAGIC || query.status != XEN_PERFCTR_STATUS_READY) {
        error("perfctr not ready: query %ld, status %u", rc, query.status);
        finish();
    }
    return &query;
}

void pcx_register_arg(struct xen_perfctr_register *arg, unsigned int vcpu)
{
    unsigned int n;

    memset(arg, 0, sizeof(*arg));
    arg->vcpu = vcpu;
    arg->counter_gfn = mfn_of(&pcx_pages[vcpu].counter);
    arg->control_gfn = mfn_of(&pcx_pages[vcpu].control);
    arg->nr_ring = PCX_RING_PAGES;
    for (n = 0; n < PCX_RING_PAGES; n++) {
        arg->ring_gfn[n] = mfn_of(pcx_pages[vcpu].ring[n]);
    }
}

long pcx_register(unsigned int vcpu)
{
    struct xen_perfctr_register arg;

    pcx_register_arg(&arg, vcpu);
    return pcx_op(XEN_PERFCTR_OP_register, &arg);
}

long pcx_unregister(unsigned int vcpu)
{
    struct xen_perfctr_unregister arg = {vcpu, 0};

    return pcx_op(XEN_PERFCTR_OP_unregister, &arg);
}

void pcx_add(struct xen_perfctr_program *p, unsigned int slot, unsigned int pmc, unsigned int kind,
             uint32_t flags)
{
    struct xen_perfctr_slot *s = &p->slot[p->nr++];

    memset(s, 0, sizeof(*s));
    s->slot = (uint16_t)slot;
    s->pmc_class = XEN_PERFCTR_CLASS_CORE;
    s->pmc = (uint16_t)pmc;
    s->kind = (uint16_t)kind;
    s->flags = flags;
    s->evtsel = AMD_INSTRUCTIONS;
    s->cookie = pcx_cookie;
}

struct pcx_value pcx_value(unsigned int vcpu, unsigned int slot)
{
    const volatile struct xen_perfctr_counter_page *page = &pcx_pages[vcpu].counter;
    const volatile struct xen_perfctr_counter_slot *s =
        (const volatile void *)((uint64_t)page + page->slot_offset_bytes + slot * page->slot_bytes);
    struct pcx_value value;
    uint64_t seq;

    if (page->slot_offset_bytes + (slot + 1) * page->slot_bytes > XEN_PERFCTR_PAGE_BYTES) {
        check(false, "VCPU %u: slot %u is outside the counter page", vcpu, slot);
        return (struct pcx_value){0, 0, 0};
    }
    do {
        seq = page->seq;
        value.user = s->sum_user;
        value.kernel = s->sum_kernel;
        value.flags = s->flags;
    } while ((seq & 1) != 0 || page->seq != seq);
    return value;
}

uint64_t pcx_start(unsigned int vcpu, unsigned int slot)
{
    return pcx_pages[vcpu].counter.slot[slot].start;
}

void trip_init(struct trip *t, const struct xen_perfctr_program *p, uint64_t trips,
               uint64_t nr_kernel, uint64_t nr_user)
{
    static volatile uint64_t nobody[NR_VCPUS];
    unsigned int n = this_vcpu()->id;

    memset(t, 0, sizeof(*t));
    t->program = p;
    t->trips = trips;
    t->nr_kernel = nr_kernel;
    t->nr_user = nr_user;
    t->hypercall = HC_xen_version;
    t->own_progress = &nobody[n];
    t->other_progress = &nobody[(n + 1) % NR_VCPUS];
    t->user_rsp = this_vcpu()->user_rsp;
}

void trip_do(struct trip *t)
{
    set_callback(CALLBACKTYPE_SYSCALL, trip_syscall);
    trip_run(t);
    set_callback(CALLBACKTYPE_SYSCALL, entry_syscall);
}
