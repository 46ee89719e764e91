/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one door to the hypervisor: HYPERVISOR_perfctr_op from a module.
 *
 * Contexts: any; only after xen_pv_domain() was seen true, elsewhere the call is a jump into
 * nothing. Locks: none, Xen serialises per VCPU.
 */
#ifndef PX_HYPERCALL_H
#define PX_HYPERCALL_H

#include <asm/xen/hypercall.h>
#include <xen/perfctr.h>

/*
 * The header's macro calls through the static-call trampoline or the hypercall page, whichever the
 * kernel has; only its macro names either, so that this builds with both.
 */
static inline int __must_check px_hypercall(unsigned int op, void *arg)
{
	return _hypercall2(int, perfctr_op, op, arg);
}

#endif
