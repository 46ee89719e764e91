/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of the core: counters and slots, and the page that shows them.
 *
 * Contexts: the pcpu concerned, interrupts off; then nothing else writes: no lock.
 */
#ifndef PCX_SLOT_H
#define PCX_SLOT_H

#include "pcx.h"

#define PCX_WRITE_ONCE(x, value) (*(volatile __typeof__(x) *)&(x) = (value))
#define PCX_READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))

/*
 * Between a page's seq and its data. The reader on the page's own VCPU is interrupted by us and
 * never the other way round, so the compiler's order is enough; x86 keeps the order of stores for
 * readers elsewhere.
 */
#define PCX_BARRIER() __asm__ __volatile__("" ::: "memory")

static inline uint32_t pcx_bit_lowest(uint64_t mask)
{
    return (uint32_t)__builtin_ctzll(mask);
}

static inline uint64_t pcx_mask_low(uint32_t bits)
{
    return bits >= 64 ? ~0ull : (1ull << bits) - 1;
}

/* Counts the events up to raw, which came in mode. */
static inline void pcx_slot_book(struct pcx_slot *slot, uint32_t mode, uint64_t raw)
{
    uint32_t sum = (slot->flags & XEN_PERFCTR_SLOT_SPLIT) ? mode : XEN_PERFCTR_MODE_USER;

    slot->sum[sum] += (raw - slot->start) & slot->mask;
    slot->start = raw;
}

static inline void pcx_page_write_begin(struct pcx_vcpu *v)
{
    PCX_WRITE_ONCE(v->page->seq, v->seq + 1);
    PCX_BARRIER();
}

static inline void pcx_page_write_end(struct pcx_vcpu *v)
{
    PCX_BARRIER();
    v->seq += 2;
    PCX_WRITE_ONCE(v->page->seq, v->seq);
}

static inline void pcx_slot_sums_publish(struct pcx_vcpu *v, uint32_t i)
{
    struct xen_perfctr_counter_slot *to = &v->page->slot[i];

    to->sum_user = v->slot[i].sum[XEN_PERFCTR_MODE_USER];
    to->sum_kernel = v->slot[i].sum[XEN_PERFCTR_MODE_KERNEL];
    to->start = v->slot[i].start;
}

/* Mode, flags and the virtual TSC. Between begin and end. */
void pcx_head_publish(struct pcx_vcpu *v);
/* The head and all slots. Between begin and end. */
void pcx_page_publish(struct pcx_vcpu *v);
/* Writes both pages as new, all slots free, with a seq that no reader has seen. */
void pcx_pages_init(struct pcx_vcpu *v);

/* Reads and counts every live slot. v runs here. */
void pcx_slots_book(struct pcx_vcpu *v);

/* Disables and zeroes a counter. -EIO: its content is unknown. */
PCX_MUST_CHECK int pcx_pmc_scrub(struct pcx_pcpu *pcpu, uint32_t pmc_class, uint32_t pmc);

/* Makes a slot's counter hold raw and count for v, which runs here. -EIO: its content is unknown. */
PCX_MUST_CHECK int pcx_slot_load(struct pcx_pcpu *pcpu, const struct pcx_vcpu *v,
                                 const struct pcx_slot *slot);
/* The same, for a counter that may hold all that already: then nothing is written. */
PCX_MUST_CHECK int pcx_slot_restore(struct pcx_pcpu *pcpu, const struct pcx_vcpu *v,
                                    const struct pcx_slot *slot);

/* Frees a slot; its counter is the caller's to clear, or is another slot's already. */
void pcx_slot_free(struct pcx_vcpu *v, uint32_t i);
/* Frees every slot. pcpu: where v runs, its counters are cleared; NULL: nowhere. */
void pcx_slots_drop(struct pcx_pcpu *pcpu, struct pcx_vcpu *v);

/* Opens or closes RDPMC for v, which runs on pcpu, as its control page asks and safety permits. */
void pcx_rdpmc_follow(const struct pcx_pcpu *pcpu, struct pcx_vcpu *v, bool wanted);

#endif
