// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tries everything that perf, libpfm4, PAPI and rr ask of perf_event_open(2), and what users get
 * wrong, and says what came of it: lines NAME, tab, result, in parts that begin with a line
 * "== PART". A result is the errno's name or
 *   OK        open, and it has counted something when it is read at once
 *   OK 0      open and on a counter, but nothing counted
 *   OK idle   open, not on a counter yet
 *   OK EOF    open, but in error state: a pinned event that found no counter
 * The lines of two kernels can be compared one by one. Needs root and at least two CPUs.
 */
#define _GNU_SOURCE
#include "opens.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

int text_write(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    int rc = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -errno;

    if (fd >= 0) {
        close(fd);
    }
    return rc;
}

void part(const char *name)
{
    printf("== %s\n", name);
}

void row(const char *name, const char *result)
{
    printf("%s\t%s\n", name, result);
}

const char *errno_name(long rc)
{
    return rc < 0 ? strerrorname_np((int)-rc) : "OK";
}

int attempt_open(const struct attempt *attempt)
{
    _Alignas(8) char bytes[2 * 4096] = {0};
    struct perf_event_attr attr = attempt->attr;
    long fd;

    if (attr.size == 0) {
        attr.size = PERF_ATTR_SIZE_VER7;
    }
    if (attr.read_format == 0) {
        attr.read_format = TIMES;
    }
    memcpy(bytes, &attr, sizeof(attr));
    if (attempt->tail != 0) {
        bytes[PERF_ATTR_SIZE_VER7 + attempt->tail - 1] = 1;
    }
    fd = syscall(SYS_perf_event_open, bytes, attempt->pid, attempt->cpu, attempt->group_fd,
                 attempt->flags);
    return fd < 0 ? -errno : (int)fd;
}

const char *event_state(int fd)
{
    uint64_t values[512] = {0};
    ssize_t size;

    if (fd < 0) {
        return errno_name(fd);
    }
    size = read(fd, values, sizeof(values));
    if (size < 0) {
        return errno_name(-errno);
    }
    if (size == 0) {
        return "OK EOF";
    }
    /* With the format that attempt_open() gives: count, time enabled, time running. */
    if (size == 3 * (ssize_t)sizeof(values[0]) && values[2] == 0) {
        return "OK idle";
    }
    return values[0] != 0 ? "OK" : "OK 0";
}

void attempts_run(const char *prefix, const struct attempt *attempts, size_t nr)
{
    char name[128];

    for (size_t i = 0; i < nr; i++) {
        int fd = attempt_open(&attempts[i]);

        snprintf(name, sizeof(name), "%s%s", prefix, attempts[i].name);
        /* What a cache misses may be nothing or something. */
        row(name, fd >= 0 && attempts[i].attr.type == PERF_TYPE_HW_CACHE ? "OK" : event_state(fd));
        if (fd >= 0) {
            close(fd);
        }
    }
}

int main(void)
{
    cpu_set_t cpus;

    /* On CPU 0, so that rows about other CPUs mean the same every time. */
    CPU_ZERO(&cpus);
    CPU_SET(0, &cpus);
    if (sched_setaffinity(0, sizeof(cpus), &cpus) != 0) {
        perror("opens: sched_setaffinity");
        return EXIT_BED;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    singles_run();
    part("groups");
    groups_run();
    part("open events");
    live_run();
    users_run();
    return 0;
}
