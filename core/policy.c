/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a domain may count, and taking it away from a domain that counts.
 *
 * Contexts: the host's control operation, interrupts on. Locks: the host holds its lock for the
 * domain; all VCPUs of it are paused but the caller, if it is one of them.
 */
#include "slot.h"

static uint64_t next_incarnation = PCX_OWNER_NONE + 1;

void pcx_domain_init(struct pcx_domain *domain, struct pcx_policy policy)
{
    domain->incarnation = __atomic_fetch_add(&next_incarnation, 1, __ATOMIC_RELAXED);
    domain->policy_gen = 1;
    domain->policy = policy;
}

void pcx_policy_get(const struct pcx_domain *domain, struct xen_perfctr_policy *arg)
{
    arg->level = domain->policy.level;
    arg->allow = domain->policy.allow;
    arg->flags = 0;
    arg->budget = 0;
    arg->period_floor = 0;
    arg->policy_gen = domain->policy_gen;
}

int pcx_policy_check(const struct xen_perfctr_policy *arg)
{
    if (arg->pad != 0 || arg->action > XEN_PERFCTR_POLICY_SET) {
        return -PCX_EINVAL;
    }
    if (arg->action == XEN_PERFCTR_POLICY_GET) {
        return 0;
    }
    if (arg->level > XEN_PERFCTR_LEVEL_RAW || arg->allow > XEN_PERFCTR_ALLOW_ALL ||
        (arg->flags & ~XEN_PERFCTR_POLICY_TRUSTED) != 0) {
        return -PCX_EINVAL;
    }
    if (arg->level > XEN_PERFCTR_LEVEL_COUNT || arg->flags != 0 || arg->budget != 0 ||
        arg->period_floor != 0) {
        return -PCX_EOPNOTSUPP;
    }
    return 0;
}

void pcx_policy_set(struct pcx_domain *domain, const struct xen_perfctr_policy *arg)
{
    domain->policy.level = arg->level;
    domain->policy.allow = arg->allow;
    domain->policy_gen++;
}

static bool slot_permitted(const struct pcx_policy *policy, const struct pcx_slot *slot)
{
    return policy->level >= XEN_PERFCTR_LEVEL_COUNT &&
           pcx_host.ops->event_check(slot->pmc_class, slot->evtsel, policy->allow) == 0;
}

static void slots_revoke(struct pcx_vcpu *v)
{
    uint32_t live;

    for (live = v->live_mask; live != 0; live &= live - 1) {
        uint32_t i = pcx_bit_lowest(live);
        struct pcx_slot *slot = &v->slot[i];

        if (!slot_permitted(&v->domain->policy, slot)) {
            /* Its counter is not v's any more, and is cleared before v runs again. */
            pcx_slot_free(v, i);
            v->revoked_mask |= 1u << i;
        }
    }
}

void pcx_vcpu_policy_follow(struct pcx_vcpu *v, bool running)
{
    uint32_t mode = v->mode;

    if (running) {
        pcx_vcpu_switch_out(v);
    }
    slots_revoke(v);
    pcx_page_write_begin(v);
    pcx_page_publish(v);
    pcx_page_write_end(v);
    if (running) {
        pcx_vcpu_switch_in(v, mode);
    }
}
