/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The world against the oracle: what guests would read is read here, as they would.
 */
#ifndef TESTS_UNIT_COMPARE_H
#define TESTS_UNIT_COMPARE_H

#include "world.h"

/* Everything that guests have read so far, in order: two runs of one schedule must agree. */
extern uint64_t compare_digest;

/* Between two operations: exact values, whole pages, closed doors. */
void compare_all(void);
/* Right after sync or program: the page alone is exact, in both modes. */
void compare_synced(const struct world_vcpu *v);
/* Inside of an operation: a page that looks whole shows the state before or after it. */
void compare_interrupted(void);

#endif
