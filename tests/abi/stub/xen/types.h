/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What Xen's xen/types.h gives to include/xen/perfctr.h, without Xen.
 */
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
