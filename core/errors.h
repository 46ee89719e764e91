/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Results of the core: 0 or a negated value of this list, which is Xen's and Linux's numbering.
 *
 * Own names, because the core includes no header of its host. tests/abi compares the values.
 */
#ifndef PCX_ERRORS_H
#define PCX_ERRORS_H

#define PCX_EPERM 1
#define PCX_ENOENT 2
#define PCX_EIO 5
#define PCX_ENXIO 6
#define PCX_E2BIG 7
#define PCX_ENOMEM 12
#define PCX_EACCES 13
#define PCX_EBUSY 16
#define PCX_EEXIST 17
#define PCX_ENODEV 19
#define PCX_EINVAL 22
#define PCX_EOPNOTSUPP 95

#define PCX_MUST_CHECK __attribute__((__warn_unused_result__))

#endif
