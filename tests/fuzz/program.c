/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target: the argument of program, as a guest hands it over.
 * Property: the validator never goes out of bounds; what it passes is within the machine, without
 * doubles, and can be loaded, synced, replaced and read, exactly; what it refuses changes nothing.
 * Ground truth: the rules of include/xen/perfctr.h, written again in in_order(), and the oracle of
 * tests/unit/world.c.
 */
#include <stdlib.h>
#include <string.h>

#include "../unit/world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool in_order(const struct xen_perfctr_program *p)
{
    uint32_t slots = 0, i;
    uint64_t pmcs[XEN_PERFCTR_MAX_CLASSES] = {0};

    for (i = 0; i < p->nr; i++) {
        const struct xen_perfctr_slot *s = &p->slot[i];

        if (s->slot >= pcx_host.nr_slots || s->pmc_class >= XEN_PERFCTR_MAX_CLASSES ||
            s->pmc >= pcx_host.classes[s->pmc_class].nr_pmc || (slots & 1u << s->slot) != 0 ||
            (pmcs[s->pmc_class] & 1ull << s->pmc) != 0 || s->pad != 0 || s->config1 != 0 ||
            s->config2 != 0 || s->period != 0 || s->left != 0 || s->kind > XEN_PERFCTR_KIND_RAW ||
            (s->evtsel & ~pcx_host.classes[s->pmc_class].evtsel_mask) != 0) {
            return false;
        }
        slots |= 1u << s->slot;
        pmcs[s->pmc_class] |= 1ull << s->pmc;
    }
    return p->nr <= pcx_host.nr_slots && p->bad == 0;
}

static void require(bool ok)
{
    if (!ok || world_inexact + world_torn + world_leaks + world_gate_wrong != 0) {
        abort();
    }
}

/* One argument, from size bytes; the rest is 0. */
static void argument(struct xen_perfctr_program *p, const uint8_t *data, size_t size)
{
    memset(p, 0, sizeof(*p));
    memcpy(p, data, size < sizeof(*p) ? size : sizeof(*p));
}

/* Two sets one after the other, on the AMD or the soft PMU. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xen_perfctr_program p;
    size_t half = size / 2;
    int turn;

    if (size == 0) {
        return 0;
    }
    world_init((data[size - 1] & 1) != 0);
    world_switch(0, &world_vcpus[0]);
    require(world_register(&world_vcpus[0]) == 0);
    for (turn = 0; turn < 2; turn++) {
        argument(&p, turn == 0 ? data : data + half, turn == 0 ? half : size - half);
        require(world_program(0, &p) != 0 || in_order(&p));
        world_run(0, 0, 1000);
        world_toggle(0);
        world_run(0, 1, 500);
        world_toggle(0);
        world_sync(0);
        world_switch(0, &world_vcpus[4]);
        world_run(0, 0, 99);
        world_switch(0, &world_vcpus[0]);
        require(true);
    }
    world_finish();
    require(fake_nr_memory == 0);
    return 0;
}
