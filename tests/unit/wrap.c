/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: registers that wrap lose nothing, neither over many switches without a mode change nor
 * on a VCPU that never leaves its pcpu, as long as the fold comes as often as promised.
 * Ground truth: the sum of the slices run; each is a sixth of a register.
 */
#include <stdio.h>
#include <string.h>

#include "world.h"

#define SLICES 40

static void slots_load(uint32_t pcpu)
{
    struct xen_perfctr_program arg = {.nr = 2};

    arg.slot[0].flags = XEN_PERFCTR_SLOT_USER | XEN_PERFCTR_SLOT_KERNEL | XEN_PERFCTR_SLOT_SPLIT;
    arg.slot[0].evtsel = world_events[0];
    arg.slot[1] = arg.slot[0];
    arg.slot[1].slot = 1;
    arg.slot[1].pmc = 1;
    arg.slot[1].kind = XEN_PERFCTR_KIND_RAW;
    arg.slot[1].flags = XEN_PERFCTR_SLOT_USER | XEN_PERFCTR_SLOT_KERNEL;
    if (world_program(pcpu, &arg) != 0) {
        printf("error - program is refused\n");
    }
}

static void slices(bool soft, bool switching)
{
    uint32_t pcpu = 0, i;

    world_init(soft);
    pcx_host.offset_start = ~100ull;
    world_switch(pcpu, &world_vcpus[0]);
    if (world_register(&world_vcpus[0]) != 0) {
        printf("error - register is refused\n");
    }
    slots_load(pcpu);
    world_toggle(pcpu);
    for (i = 0; i < SLICES; i++) {
        world_run(pcpu, 0, (1ull << pcx_host.classes[0].width_bits) / 6 + i);
        if (switching) {
            world_switch(pcpu, NULL);
            pcpu = i % FAKE_NR_PCPUS;
            world_switch(pcpu, &world_vcpus[0]);
        } else {
            world_fold(pcpu);
        }
    }
    world_finish();
}

int main(void)
{
    uint64_t bad = 0;
    int i;

    for (i = 0; i < 4; i++) {
        slices((i & 1) != 0, (i & 2) != 0);
        bad += world_inexact + world_torn;
    }
    printf("%s - wrapping registers lose nothing\n", bad == 0 ? "ok" : "not ok");
    return bad != 0;
}
