/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HYPERVISOR_perfctr_op: arguments in, results out, permissions and locks.
 *
 * Contexts: hypercall, interrupts on. Locks: the domain's lock for register,
 * unregister and policy; none for what a VCPU does to itself.
 */
#include <xen/event.h>
#include <xen/guest_access.h>
#include <xen/hypercall.h>
#include <xen/lib.h>
#include <xen/xmalloc.h>
#include <xsm/xsm.h>

#include <public/pmu.h>

#include "private.h"

/* A hypercall is not preempted by another one on its pcpu. */
static DEFINE_PER_CPU(struct xen_perfctr_program, program_arg);

/* A domain that has not registered anything has no state, but a policy. */
static struct pcx_domain domain_view(const struct domain *d)
{
    const struct pcx_domain *state = ACCESS_ONCE(d->arch.perfctr);

    if ( state )
        return *state;

    return (struct pcx_domain){
        .policy_gen = 1,
        .policy = perfctr_default_policy(d),
    };
}

static struct pcx_domain *domain_state_get(struct domain *d)
{
    struct pcx_domain *state;

    ASSERT(spin_is_locked(&d->domain_lock));

    if ( d->arch.perfctr )
        return d->arch.perfctr;

    state = xzalloc(struct pcx_domain);
    if ( !state )
        return NULL;

    pcx_domain_init(state, perfctr_default_policy(d));
    /* Others read the pointer without the lock. */
    smp_wmb();
    write_atomic(&d->arch.perfctr, state);

    return state;
}

static unsigned int status_of(const struct vcpu *v)
{
    if ( perfctr_status != XEN_PERFCTR_STATUS_READY )
        return perfctr_status;

    return is_pv_64bit_vcpu(v) ? XEN_PERFCTR_STATUS_READY
                               : XEN_PERFCTR_STATUS_GUEST;
}

static int query(const struct vcpu *v, XEN_GUEST_HANDLE_PARAM(void) arg)
{
    struct pcx_domain view = domain_view(v->domain);
    struct xen_perfctr_query q;

    pcx_query_fill(&view, status_of(v), &q);

    return copy_to_guest(arg, &q, 1) ? -EFAULT : 0;
}

/*
 * Keeps v from running, with the domain's lock held; v is the caller or down.
 * -ERESTART: it is down but has not left its pcpu. Nothing waits for it here:
 * two VCPUs that name each other would wait for ever.
 */
static int vcpu_hold(struct vcpu *v)
{
    int ret = 0;

    domain_lock(v->domain);

    if ( v == current )
        return 0;

    /* Passes the scheduler's lock: v is running by now, or it will not. */
    vcpu_pause_nosync(v);
    smp_mb();

    if ( !test_bit(_VPF_down, &v->pause_flags) )
        ret = -EBUSY;
    else if ( v->is_running )
        ret = -ERESTART;
    else
        /* Idle may have kept v's CR4; v could come back to it. */
        sync_vcpu_execstate(v);

    if ( ret )
    {
        vcpu_unpause(v);
        domain_unlock(v->domain);
    }

    return ret;
}

static void vcpu_release(struct vcpu *v)
{
    if ( v != current )
        vcpu_unpause(v);
    domain_unlock(v->domain);
}

static int vcpu_register(struct domain *d, XEN_GUEST_HANDLE_PARAM(void) arg)
{
    struct xen_perfctr_register reg;
    struct pcx_domain *state;
    struct vcpu *v;
    int ret;

    if ( copy_from_guest(&reg, arg, 1) )
        return -EFAULT;

    v = domain_vcpu(d, reg.vcpu);
    if ( !v )
        return -ENOENT;

    ret = vcpu_hold(v);
    if ( ret )
        return ret;

    state = domain_state_get(d);
    ret = state ? pcx_vcpu_register(d, state, &reg, v == current,
                                    &v->arch.perfctr)
                : -ENOMEM;
    vcpu_release(v);

    return ret;
}

static int vcpu_unregister(struct domain *d, XEN_GUEST_HANDLE_PARAM(void) arg)
{
    struct xen_perfctr_unregister unreg;
    struct vcpu *v;
    int ret;

    if ( copy_from_guest(&unreg, arg, 1) )
        return -EFAULT;

    if ( unreg.pad )
        return -EINVAL;

    v = domain_vcpu(d, unreg.vcpu);
    if ( !v || !ACCESS_ONCE(v->arch.perfctr) )
        return -ENOENT;

    ret = vcpu_hold(v);
    if ( ret )
        return ret;

    if ( v->arch.perfctr )
        pcx_vcpu_unregister(v == current, &v->arch.perfctr);
    else
        ret = -ENOENT;
    vcpu_release(v);

    return ret;
}

/* The slots are copied once, by a number that is copied once before. */
static int program_copy(struct xen_perfctr_program *p,
                        XEN_GUEST_HANDLE_PARAM(void) arg)
{
    const size_t head = offsetof(struct xen_perfctr_program, slot);
    uint8_t *bytes = (uint8_t *)p;

    if ( copy_from_guest_offset(bytes, arg, 0, head) )
        return -EFAULT;

    /* More than fit, or than the machine has: -E2BIG, with nothing copied. */
    if ( p->nr > ARRAY_SIZE(p->slot) )
        return 0;

    p->nr = array_index_nospec(p->nr, ARRAY_SIZE(p->slot) + 1);

    return copy_from_guest_offset(bytes + head, arg, head,
                                  p->nr * sizeof(p->slot[0])) ? -EFAULT : 0;
}

static int program(struct vcpu *v, XEN_GUEST_HANDLE_PARAM(void) arg, bool load)
{
    struct xen_perfctr_program *p = &this_cpu(program_arg);
    struct pcx_domain view = domain_view(v->domain);
    uint32_t bad;
    int ret;

    ret = program_copy(p, arg);
    if ( ret )
        return ret;

    if ( load && !v->arch.perfctr )
        return -ENOENT;

    ret = pcx_program_check(&view, p, &bad);

    BUILD_BUG_ON(offsetof(struct xen_perfctr_program, bad) != sizeof(bad));
    if ( copy_to_guest_offset(arg, 1, &bad, 1) )
        return -EFAULT;

    return ret || !load ? ret : pcx_vcpu_program(v->arch.perfctr, p);
}

static int sync(struct vcpu *v, XEN_GUEST_HANDLE_PARAM(void) arg)
{
    if ( !guest_handle_is_null(arg) )
        return -EINVAL;

    if ( !v->arch.perfctr )
        return -ENOENT;

    pcx_vcpu_sync(v->arch.perfctr);

    return 0;
}

/* d's lock is held and its VCPUs, but for current, are paused. */
static int policy_apply(struct domain *d, const struct xen_perfctr_policy *pol)
{
    struct pcx_domain *state = domain_state_get(d);
    struct vcpu *v;

    if ( !state )
        return -ENOMEM;

    pcx_policy_set(state, pol);
    for_each_vcpu ( d, v )
    {
        if ( !v->arch.perfctr )
            continue;

        pcx_vcpu_policy_follow(v->arch.perfctr, v == current);
        send_guest_vcpu_virq(v, VIRQ_XENPMU);
    }

    return 0;
}

/* -ERESTART: another VCPU of the caller's domain is about to pause this one. */
static int policy_set(struct domain *d, const struct xen_perfctr_policy *pol)
{
    int ret = domain_pause_except_self(d);

    if ( ret )
        return ret;

    domain_lock(d);
    ret = d->is_dying ? -ESRCH : policy_apply(d, pol);
    domain_unlock(d);
    domain_unpause_except_self(d);

    return ret;
}

static int policy(XEN_GUEST_HANDLE_PARAM(void) arg)
{
    struct xen_perfctr_policy pol;
    struct pcx_domain view;
    struct domain *d;
    int ret;

    if ( copy_from_guest(&pol, arg, 1) )
        return -EFAULT;

    ret = pcx_policy_check(&pol);
    if ( ret )
        return ret;

    d = rcu_lock_domain_by_any_id(pol.domid);
    if ( !d )
        return -ESRCH;

    if ( pol.action == XEN_PERFCTR_POLICY_SET )
        ret = policy_set(d, &pol);

    if ( !ret )
    {
        domain_lock(d);
        view = domain_view(d);
        domain_unlock(d);
        pcx_policy_get(&view, &pol);
    }

    rcu_unlock_domain(d);

    if ( ret )
        return ret;

    return copy_to_guest(arg, &pol, 1) ? -EFAULT : 0;
}

static int control_op(unsigned int op, XEN_GUEST_HANDLE_PARAM(void) arg)
{
    if ( xsm_pmu_op(XSM_OTHER, current->domain, XENPMU_mode_set) )
        return -EACCES;

    if ( perfctr_status != XEN_PERFCTR_STATUS_READY )
        return -EOPNOTSUPP;

    return op == XEN_PERFCTR_OP_policy ? policy(arg) : -EOPNOTSUPP;
}

static int guest_op(unsigned int op, XEN_GUEST_HANDLE_PARAM(void) arg)
{
    struct vcpu *curr = current;

    if ( xsm_pmu_op(XSM_OTHER, curr->domain, XENPMU_init) )
        return -EACCES;

    if ( op == XEN_PERFCTR_OP_query )
        return query(curr, arg);

    if ( status_of(curr) != XEN_PERFCTR_STATUS_READY )
        return -EOPNOTSUPP;

    switch ( op )
    {
    case XEN_PERFCTR_OP_register:
        return vcpu_register(curr->domain, arg);

    case XEN_PERFCTR_OP_unregister:
        return vcpu_unregister(curr->domain, arg);

    case XEN_PERFCTR_OP_sync:
        return sync(curr, arg);

    default:
        return program(curr, arg, op == XEN_PERFCTR_OP_program);
    }
}

long do_perfctr_op(unsigned int op, XEN_GUEST_HANDLE_PARAM(void) arg)
{
    int ret;

    switch ( op )
    {
    case XEN_PERFCTR_OP_policy:
    case XEN_PERFCTR_OP_accounts:
    case XEN_PERFCTR_OP_session:
        ret = control_op(op, arg);
        break;

    case XEN_PERFCTR_OP_query ... XEN_PERFCTR_OP_sync:
        ret = guest_op(op, arg);
        break;

    default:
        return -ENOSYS;
    }

    if ( ret == -ERESTART )
        return hypercall_create_continuation(__HYPERVISOR_perfctr_op, "ih",
                                             op, arg);

    return ret;
}

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
