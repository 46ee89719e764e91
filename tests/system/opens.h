/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the program `opens` share: one attempt to open an event, one line of output. */
#ifndef TESTS_SYSTEM_OPENS_H
#define TESTS_SYSTEM_OPENS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/types.h>

struct attempt {
    const char *name;
    struct perf_event_attr attr;
    pid_t pid;
    int cpu;
    int group_fd;
    unsigned long flags;
    size_t tail; /* bytes of attr.size behind struct perf_event_attr, the last one not zero */
};

/* Some designators of an attr. */
#define HARDWARE(id) .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_##id
#define SOFTWARE(id) .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_##id
#define CACHE_L1D_MISS .type = PERF_TYPE_HW_CACHE, .config = 0x10000
#define RAW(bits) .type = PERF_TYPE_RAW, .config = (bits)
#define INSTRUCTIONS HARDWARE(INSTRUCTIONS)

/* An attempt on a thread and CPU; on the thread that asks, wherever it runs. */
#define PLACED(text, on_pid, on_cpu, ...)                                                          \
    {                                                                                              \
        .name = (text), .pid = (on_pid), .cpu = (on_cpu), .group_fd = -1, .attr = { __VA_ARGS__ }  \
    }
#define OWN(text, ...) PLACED(text, 0, -1, __VA_ARGS__)

/* Exit status: the test bed is broken. */
#define EXIT_BED 2

/* opens.c */
int text_write(const char *path, const char *text); /* 0 or -errno */
int attempt_open(const struct attempt *attempt);    /* file descriptor or -errno */
const char *errno_name(long rc);                    /* of a failed call's -errno, else OK */
const char *event_state(int fd);                    /* of an open event, or its -errno */
void part(const char *name);
void row(const char *name, const char *result);
void attempts_run(const char *prefix, const struct attempt *attempts, size_t nr);

/* opens_single.c */
void singles_run(void);

/* opens_live.c: groups and what is done to an open event */
void groups_run(void);
void live_run(void);

/* opens_user.c: without privileges */
void users_run(void);

#endif
