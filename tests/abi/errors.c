/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: the core's errno values are Linux's, which are Xen's.
 * Ground truth: the C library's errno.h.
 */
#include <errno.h>

#include "../../core/errors.h"

#define SAME(name) _Static_assert(PCX_##name == name, #name)

SAME(EPERM);
SAME(ENOENT);
SAME(EIO);
SAME(ENXIO);
SAME(E2BIG);
SAME(ENOMEM);
SAME(EACCES);
SAME(EBUSY);
SAME(EEXIST);
SAME(ENODEV);
SAME(EINVAL);
SAME(EOPNOTSUPP);
