/* SPDX-License-Identifier: GPL-2.0-only */
/* Event names of the test clients, and perf_event_open(2) without a library. For glibc programs. */
#ifndef TESTS_LIB_EVENT_H
#define TESTS_LIB_EVENT_H

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Names stand for perf_event_open(2) generic events; anything else is rHEX, a raw event. */
static const struct event_name {
    const char *name;
    uint32_t type;
    uint64_t config;
} event_names[] = {
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
};

/* Parses NAME, NAME:u, NAME:k, rHEX, ...; returns 0 or -EINVAL. */
static inline int event_parse(const char *text, struct perf_event_attr *attr)
{
    size_t length = strcspn(text, ":");
    const char *modifier = text[length] == ':' ? text + length + 1 : "";
    bool user = strchr(modifier, 'u') != NULL;
    bool kernel = strchr(modifier, 'k') != NULL;

    memset(attr, 0, sizeof(*attr));
    attr->size = sizeof(*attr);
    if (strspn(modifier, "uk") != strlen(modifier)) {
        return -EINVAL;
    }
    attr->exclude_user = kernel && !user;
    attr->exclude_kernel = user && !kernel;
    for (size_t i = 0; i < sizeof(event_names) / sizeof(event_names[0]); i++) {
        if (strlen(event_names[i].name) == length &&
            strncmp(event_names[i].name, text, length) == 0) {
            attr->type = event_names[i].type;
            attr->config = event_names[i].config;
            return 0;
        }
    }
    if (text[0] == 'r' && length > 1 && strspn(text + 1, "0123456789abcdef") == length - 1) {
        attr->type = PERF_TYPE_RAW;
        attr->config = strtoull(text + 1, NULL, 16);
        return 0;
    }
    return -EINVAL;
}

/* Returns a file descriptor or -errno. */
static inline int event_open(struct perf_event_attr *attr, pid_t tid, int group_fd)
{
    long fd = syscall(SYS_perf_event_open, attr, tid, -1, group_fd, PERF_FLAG_FD_CLOEXEC);

    return fd < 0 ? -errno : (int)fd;
}

#endif
