/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that a host supplies to the core: the only door out of it.
 *
 * Contexts: as named per function; "any" includes interrupts off. No function may sleep or be
 * preempted by another VCPU. Hosts: xen/port.c and xen/page.c, tests/unit/port.c.
 */
#ifndef PCX_PORT_H
#define PCX_PORT_H

#if !defined(__XEN__)
#include <stdbool.h>
#include <stddef.h>
#endif
#include <xen/perfctr.h>

#include "errors.h"

/* Functions called through a pointer carry this: Xen builds with indirect branch tracking. */
#if defined(__XEN__) && defined(CONFIG_XEN_IBT)
#define PCX_INDIRECT __attribute__((__cf_check__))
#else
#define PCX_INDIRECT
#endif

struct pcx_pcpu;

/* Registers of the calling pcpu. Any context. The _safe ones return -EIO instead of faulting. */
uint64_t pcx_port_rdpmc(uint32_t ecx);
PCX_MUST_CHECK int pcx_port_rdmsr_safe(uint32_t msr, uint64_t *value);
PCX_MUST_CHECK int pcx_port_wrmsr_safe(uint32_t msr, uint64_t value);
void pcx_port_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t regs[4]); /* eax ebx ecx edx */
uint64_t pcx_port_tsc(void); /* 0: the running domain is not to know it */

/* The calling pcpu's state; interrupts off, or the answer is only good for a hint. */
struct pcx_pcpu *pcx_port_pcpu(void);

unsigned long pcx_port_irq_save(void);
void pcx_port_irq_restore(unsigned long flags);

/* Nanoseconds since an arbitrary point, never going back. Any context. */
uint64_t pcx_port_now_ns(void);

/* index, which is below size, so that speculation cannot go past size either. Any context. */
uint32_t pcx_port_index_nospec(uint32_t index, uint32_t size);

/* Opens or closes RDPMC for the guest code of the running VCPU. Interrupts off. */
void pcx_port_rdpmc_gate_write(bool open);

/* Zeroed memory or NULL. Interrupts on. */
void *pcx_port_alloc(size_t size_bytes);
void pcx_port_free(void *memory);

/* A guest's frame that Xen holds and can write in any context. */
struct pcx_frame {
    uint64_t gfn;
    void *va;
};

/* domain is the host's own. -ENXIO: not ordinary writable memory of it; -ENOMEM. Interrupts on. */
PCX_MUST_CHECK int pcx_port_frame_map(void *domain, uint64_t gfn, struct pcx_frame *frame);
void pcx_port_frame_unmap(struct pcx_frame *frame);

#endif
