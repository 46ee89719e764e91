/* SPDX-License-Identifier: GPL-2.0-only */
/* The tests of a Xen whose perfctr interface is not usable: one property, several reasons. */
#ifndef GUEST_STATUS_H
#define GUEST_STATUS_H

#include <stdint.h>

/* Query names the reason, every other op is -EOPNOTSUPP, RDPMC is #GP in both modes. */
void status_test(uint32_t status);

#endif
