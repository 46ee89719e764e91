/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: where Xen runs with watchdog, query says so and nothing else works.
 * Ground truth: how the machine was started (status_watchdog.test).
 */
#include <xen/perfctr.h>
#include "status.h"
#include "test.h"

void test_main(void)
{
    status_test(XEN_PERFCTR_STATUS_WATCHDOG);
}
