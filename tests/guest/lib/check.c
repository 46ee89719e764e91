/* SPDX-License-Identifier: GPL-2.0-only */
/* Console and results; see check.h. No locks: VCPU 0 only. */
#include <stdarg.h>
#include "check.h"
#include "hypercall.h"

#define LINE_BYTES 256

static char line_buf[LINE_BYTES];
static uint32_t line_len;
static const char *current;
static uint32_t checks, bad; /* of the current property */
static uint32_t nr_ok, nr_fail, nr_skip, nr_error;

void *memset(void *to, int byte, size_t bytes)
{
    uint8_t *p = to;

    while (bytes-- != 0) {
        *p++ = (uint8_t)byte;
    }
    return to;
}

void *memcpy(void *to, const void *from, size_t bytes)
{
    const uint8_t *q = from;
    uint8_t *p = to;

    while (bytes-- != 0) {
        *p++ = *q++;
    }
    return to;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
    const uint8_t *p = a, *q = b;

    for (; bytes-- != 0; p++, q++) {
        if (*p != *q) {
            return *p - *q;
        }
    }
    return 0;
}

static void flush_line(void)
{
    hypercall3(HC_console_io, CONSOLEIO_WRITE, line_len, (uint64_t)line_buf);
    line_len = 0;
}

static void put_char(char c)
{
    line_buf[line_len++] = c;
    if (c == '\n' || line_len == LINE_BYTES) {
        flush_line();
    }
}

static void put_string(const char *s)
{
    while (*s != '\0') {
        put_char(*s++);
    }
}

static void put_number(uint64_t value, unsigned int base)
{
    char digits[20];
    unsigned int n = 0;

    do {
        digits[n++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    while (n != 0) {
        put_char(digits[--n]);
    }
}

static void put_signed(int64_t value)
{
    if (value < 0) {
        put_char('-');
        put_number(-(uint64_t)value, 10);
    } else {
        put_number((uint64_t)value, 10);
    }
}

/* Knows %s %c %d %u %x %ld %lu %lx %%; no widths. */
static void print_args(const char *fmt, va_list args)
{
    bool is_long;

    for (; *fmt != '\0'; fmt++) {
        if (*fmt != '%') {
            put_char(*fmt);
            continue;
        }
        is_long = *++fmt == 'l';
        if (is_long) {
            fmt++;
        }
        switch (*fmt) {
        case 's':
            put_string(va_arg(args, const char *));
            break;
        case 'c':
            put_char((char)va_arg(args, int));
            break;
        case 'd':
            put_signed(is_long ? va_arg(args, int64_t) : va_arg(args, int));
            break;
        case 'u':
        case 'x':
            put_number(is_long ? va_arg(args, uint64_t) : va_arg(args, unsigned int),
                       *fmt == 'u' ? 10 : 16);
            break;
        default:
            put_char(*fmt);
            break;
        }
    }
}

void print(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    print_args(fmt, args);
    va_end(args);
}

void property(const char *name)
{
    if (current != NULL) {
        if (bad != 0) {
            print("not ok - %s: %u of %u checks failed\n", current, bad, checks);
            nr_fail++;
        } else if (checks != 0) {
            print("ok - %s\n", current);
            nr_ok++;
        } else {
            error("%s: nothing was checked", current);
        }
    }
    current = name;
    checks = bad = 0;
}

static void begin_failure(const char *fmt, va_list args)
{
    bad++;
    print("# FAIL ");
    print_args(fmt, args);
}

bool check_at(const char *file, int line, bool good, const char *fmt, ...)
{
    va_list args;

    checks++;
    if (!good) {
        va_start(args, fmt);
        begin_failure(fmt, args);
        va_end(args);
        print(" (%s:%d)\n", file, line);
    }
    return good;
}

bool check_eq_at(const char *file, int line, int64_t got, int64_t want, const char *fmt, ...)
{
    va_list args;

    checks++;
    if (got != want) {
        va_start(args, fmt);
        begin_failure(fmt, args);
        va_end(args);
        print(": got %ld, want %ld (%s:%d)\n", got, want, file, line);
    }
    return got == want;
}

void skip(const char *name, const char *why)
{
    nr_skip++;
    print("skip - %s # %s\n", name, why);
}

void error_at(const char *file, int line, const char *fmt, ...)
{
    va_list args;

    nr_error++;
    print("error - ");
    va_start(args, fmt);
    print_args(fmt, args);
    va_end(args);
    print(" (%s:%d)\n", file, line);
}

void power_off(void)
{
    /* For a power-off Xen would need ACPI data from dom0; the machine ends at a reset as well. */
    const uint32_t reason = SHUTDOWN_REBOOT;

    for (;;) {
        hypercall2(HC_sched_op, SCHEDOP_SHUTDOWN, (uint64_t)&reason);
    }
}

void finish(void)
{
    const char *result = "pass";

    property(NULL);
    /* A broken test bed makes every other answer worthless. */
    if (nr_error != 0) {
        result = "error";
    } else if (nr_fail != 0) {
        result = "fail";
    } else if (nr_ok == 0) {
        result = nr_skip != 0 ? "skip" : "error";
    }
    print("# %u ok, %u not ok, %u skipped, %u errors\n", nr_ok, nr_fail, nr_skip, nr_error);
    print("RESULT %s\n", result);
    power_off();
}
