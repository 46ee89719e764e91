/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The core's port: frames of a guest that Xen writes.
 *
 * Contexts: hypercall and teardown, interrupts on, the domain's lock held.
 */
#include <xen/domain_page.h>
#include <xen/mm.h>

#include <asm/p2m.h>

#include "private.h"

int pcx_port_frame_map(void *domain, uint64_t gfn, struct pcx_frame *frame)
{
    struct page_info *page;
    p2m_type_t p2mt;
    void *va;

    if ( gfn != gfn_x(_gfn(gfn)) ||
         check_get_page_from_gfn(domain, _gfn(gfn), false, &p2mt, &page) )
        return -ENXIO;

    /* Xen's own pages pass as the guest's: shared_info, grant frames. */
    if ( p2mt != p2m_ram_rw || is_xen_heap_page(page) )
    {
        put_page(page);
        return -ENXIO;
    }

    /* The type keeps page tables and descriptor tables out, now and later. */
    if ( !get_page_type(page, PGT_writable_page) )
    {
        put_page(page);
        return -ENXIO;
    }

    va = __map_domain_page_global(page);
    if ( !va )
    {
        put_page_and_type(page);
        return -ENOMEM;
    }

    frame->gfn = gfn;
    frame->va = va;

    return 0;
}

void pcx_port_frame_unmap(struct pcx_frame *frame)
{
    struct page_info *page =
        mfn_to_page(domain_page_map_to_mfn(frame->va));

    unmap_domain_page_global(frame->va);
    put_page_and_type(page);
    frame->va = NULL;
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
