/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A PMU for tests that no machine has: two classes of different width, indices far apart.
 */
#ifndef TESTS_UNIT_SOFT_H
#define TESTS_UNIT_SOFT_H

#include "../../core/pmu.h"

extern const struct pcx_pmu_ops soft_ops;

void soft_classes_fill(struct pcx_class classes[XEN_PERFCTR_MAX_CLASSES]);

#endif
