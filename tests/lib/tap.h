/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Result lines of test programs, counted by the test runner:
 *   ok - NAME | not ok - NAME: got X want Y | skip - NAME # WHY | error - NAME: WHY
 * "not ok" says the tested thing is wrong, "error" that the test bed is or did not do its part.
 */
#ifndef TESTS_LIB_TAP_H
#define TESTS_LIB_TAP_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static inline bool tap_equal(const char *name, uint64_t got, uint64_t want)
{
    if (got == want) {
        printf("ok - %s\n", name);
    } else {
        printf("not ok - %s: got %" PRIu64 " want %" PRIu64 "\n", name, got, want);
    }
    fflush(stdout);
    return got == want;
}

static inline void tap_skip(const char *name, const char *why)
{
    printf("skip - %s # %s\n", name, why);
    fflush(stdout);
}

static inline void tap_error(const char *name, const char *why)
{
    printf("error - %s: %s\n", name, why);
    fflush(stdout);
}

#endif
