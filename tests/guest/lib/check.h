/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Console and results. VCPU 0 only: others leave what they found in memory. A test states one
 * property after another; each ends in one line: `ok - property` or `not ok - property: ...` (the
 * product is wrong), the checks that failed in `#` lines before it. Besides `skip - name # why` and
 * `error - ...`: the test bed did not do what it should.
 */
#ifndef GUEST_CHECK_H
#define GUEST_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

void print(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Ends the property before and begins another; the string must stay. */
void property(const char *name);

bool check_at(const char *file, int line, bool good, const char *fmt, ...) PRINTF_LIKE(4, 5);
bool check_eq_at(const char *file, int line, int64_t got, int64_t want, const char *fmt, ...)
    PRINTF_LIKE(5, 6);
void skip(const char *name, const char *why);
void error_at(const char *file, int line, const char *fmt, ...) PRINTF_LIKE(3, 4);

#define check(...) check_at(__FILE__, __LINE__, __VA_ARGS__)
#define check_eq(got, want, ...)                                                                   \
    check_eq_at(__FILE__, __LINE__, (int64_t)(got), (int64_t)(want), __VA_ARGS__)
#define error(...) error_at(__FILE__, __LINE__, __VA_ARGS__)

/* Prints RESULT and ends the machine. */
void finish(void) __attribute__((noreturn));
void power_off(void) __attribute__((noreturn));

void *memset(void *to, int byte, size_t bytes);
void *memcpy(void *to, const void *from, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);

#endif
