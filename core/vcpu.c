/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A VCPU's registration: its private state and its pages.
 *
 * Contexts: hypercall or teardown, interrupts on. Locks: the host holds its lock for the domain,
 * and v is the caller or runs nowhere.
 */
#include "slot.h"

static bool frames_distinct(const struct xen_perfctr_register *arg)
{
    uint32_t nr, i, j;

    if (arg->counter_gfn == arg->control_gfn) {
        return false;
    }
    /* Speculation past the caller's check must not leave the array. */
    nr = pcx_port_index_nospec(arg->nr_ring, XEN_PERFCTR_MAX_RING + 1);
    for (i = 0; i < nr; i++) {
        if (arg->ring_gfn[i] == arg->counter_gfn || arg->ring_gfn[i] == arg->control_gfn) {
            return false;
        }
        for (j = 0; j < i; j++) {
            if (arg->ring_gfn[i] == arg->ring_gfn[j]) {
                return false;
            }
        }
    }
    return true;
}

static bool frames_same(const struct pcx_vcpu *v, const struct xen_perfctr_register *arg)
{
    uint32_t i;

    if (v->counter_frame.gfn != arg->counter_gfn || v->control_frame.gfn != arg->control_gfn ||
        v->nr_ring != arg->nr_ring) {
        return false;
    }
    for (i = 0; i < v->nr_ring; i++) {
        if (v->ring_frame[i].gfn != arg->ring_gfn[i]) {
            return false;
        }
    }
    return true;
}

static void frames_unmap(struct pcx_vcpu *v)
{
    uint32_t i;

    for (i = 0; i < XEN_PERFCTR_MAX_RING; i++) {
        if (v->ring_frame[i].va != NULL) {
            pcx_port_frame_unmap(&v->ring_frame[i]);
        }
    }
    if (v->control_frame.va != NULL) {
        pcx_port_frame_unmap(&v->control_frame);
    }
    if (v->counter_frame.va != NULL) {
        pcx_port_frame_unmap(&v->counter_frame);
    }
}

static int frames_map(void *host_domain, struct pcx_vcpu *v, const struct xen_perfctr_register *arg)
{
    uint32_t i;
    int ret = pcx_port_frame_map(host_domain, arg->counter_gfn, &v->counter_frame);

    if (ret == 0) {
        ret = pcx_port_frame_map(host_domain, arg->control_gfn, &v->control_frame);
    }
    for (i = 0; i < arg->nr_ring && ret == 0; i++) {
        ret = pcx_port_frame_map(host_domain, arg->ring_gfn[i], &v->ring_frame[i]);
    }
    v->nr_ring = arg->nr_ring;
    v->page = v->counter_frame.va;
    v->control = v->control_frame.va;
    return ret;
}

static void frames_clear(struct pcx_vcpu *v)
{
    uint32_t i;

    __builtin_memset(v->page, 0, XEN_PERFCTR_PAGE_BYTES);
    __builtin_memset(v->control, 0, XEN_PERFCTR_PAGE_BYTES);
    for (i = 0; i < v->nr_ring; i++) {
        __builtin_memset(v->ring_frame[i].va, 0, XEN_PERFCTR_PAGE_BYTES);
    }
}

/* Stops all of v's counting, shows free slots and closes RDPMC. */
static void vcpu_quiesce(struct pcx_vcpu *v, bool running)
{
    unsigned long flags = pcx_port_irq_save();
    struct pcx_pcpu *pcpu = pcx_port_pcpu();

    pcx_page_write_begin(v);
    pcx_slots_drop(running ? pcpu : NULL, v);
    if (running) {
        pcx_rdpmc_follow(pcpu, v, false);
        pcpu->running = NULL;
    }
    v->rdpmc = false;
    pcx_page_publish(v);
    pcx_page_write_end(v);
    pcx_port_irq_restore(flags);
}

/* Gives v pages as new; where v is running it comes in as if it had been switched in. */
static void vcpu_begin(struct pcx_vcpu *v, bool running)
{
    frames_clear(v);
    v->tsc_sum = 0;
    pcx_pages_init(v);
    if (running) {
        pcx_vcpu_switch_in(v, XEN_PERFCTR_MODE_KERNEL);
    }
}

int pcx_vcpu_register(void *host_domain, struct pcx_domain *domain,
                      const struct xen_perfctr_register *arg, bool running,
                      struct pcx_vcpu **slot_of_v)
{
    struct pcx_vcpu *v = *slot_of_v;
    int ret;

    if (arg->flags != 0 || arg->pad != 0 || arg->nr_ring > XEN_PERFCTR_MAX_RING ||
        !frames_distinct(arg)) {
        return -PCX_EINVAL;
    }
    if (v != NULL) {
        if (!frames_same(v, arg)) {
            return -PCX_EEXIST;
        }
        vcpu_quiesce(v, running);
        vcpu_begin(v, running);
        return 0;
    }
    if (domain->policy.level == XEN_PERFCTR_LEVEL_OFF) {
        return -PCX_EPERM;
    }
    v = pcx_port_alloc(sizeof(*v));
    if (v == NULL) {
        return -PCX_ENOMEM;
    }
    v->domain = domain;
    v->vcpu = arg->vcpu;
    v->mode = XEN_PERFCTR_MODE_KERNEL;
    ret = frames_map(host_domain, v, arg);
    if (ret != 0) {
        frames_unmap(v);
        pcx_port_free(v);
        return ret;
    }
    *slot_of_v = v;
    vcpu_begin(v, running);
    return 0;
}

void pcx_vcpu_unregister(bool running, struct pcx_vcpu **slot_of_v)
{
    struct pcx_vcpu *v = *slot_of_v;

    vcpu_quiesce(v, running);
    *slot_of_v = NULL;
    frames_unmap(v);
    pcx_port_free(v);
}
