/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The core's port: registers, time, memory.
 *
 * Contexts: any, unless core/port.h says otherwise. Locks: none, because all
 * of it concerns the calling pcpu alone.
 */
#include <xen/nospec.h>
#include <xen/time.h>
#include <xen/xmalloc.h>

#include <asm/processor.h>
#include <asm/pv/domain.h>

#include "private.h"

DEFINE_PER_CPU(struct pcx_pcpu, perfctr_pcpu);

uint64_t pcx_port_rdpmc(uint32_t ecx)
{
    uint32_t lo, hi;

    asm volatile ( "rdpmc" : "=a" (lo), "=d" (hi) : "c" (ecx) );

    return ((uint64_t)hi << 32) | lo;
}

int pcx_port_rdmsr_safe(uint32_t msr, uint64_t *value)
{
    return compat_rdmsr_safe(msr, value) ? -EIO : 0;
}

int pcx_port_wrmsr_safe(uint32_t msr, uint64_t value)
{
    return wrmsr_safe(msr, value) ? -EIO : 0;
}

void pcx_port_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    cpuid_count(leaf, subleaf, &regs[0], &regs[1], &regs[2], &regs[3]);
}

/* A domain whose TSC is emulated shall not learn the host's. */
uint64_t pcx_port_tsc(void)
{
    return current->domain->arch.vtsc ? 0 : rdtsc();
}

struct pcx_pcpu *pcx_port_pcpu(void)
{
    return &this_cpu(perfctr_pcpu);
}

unsigned long pcx_port_irq_save(void)
{
    unsigned long flags;

    local_irq_save(flags);

    return flags;
}

void pcx_port_irq_restore(unsigned long flags)
{
    local_irq_restore(flags);
}

uint64_t pcx_port_now_ns(void)
{
    return NOW();
}

uint32_t pcx_port_index_nospec(uint32_t index, uint32_t size)
{
    return array_index_nospec(index, size);
}

void pcx_port_rdpmc_gate_write(bool open)
{
    /* pv_make_cr4() asks perfctr_cr4(), which knows what "open" is to be. */
    write_cr4(pv_make_cr4(current));
}

void *pcx_port_alloc(size_t size_bytes)
{
    return _xzalloc(size_bytes, SMP_CACHE_BYTES);
}

void pcx_port_free(void *memory)
{
    xfree(memory);
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
