/* SPDX-License-Identifier: GPL-2.0-only */
/* What every test includes. A test is one C file with test_main, run by VCPU 0 in kernel mode. */
#ifndef GUEST_TEST_H
#define GUEST_TEST_H

#include "check.h"
#include "hypercall.h"
#include "mm.h"
#include "trap.h"
#include "vcpu.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Is it a word of the guest's command line? */
bool has_word(const char *word);

void test_main(void);

#endif
