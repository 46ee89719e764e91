// SPDX-License-Identifier: GPL-2.0-only
/*
 * The part of `opens` about a user without privileges, at each level of perf_event_paranoid (-1 to
 * 2: Linux, Documentation/admin-guide/sysctl/kernel.rst; 3: Debian, nothing at all is allowed).
 */
#define _GNU_SOURCE
#include "opens.h"
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define NOBODY 65534

static const char paranoid_path[] = "/proc/sys/kernel/perf_event_paranoid";

static const struct attempt attempts[] = {
    OWN("user", INSTRUCTIONS, .exclude_kernel = 1, .exclude_hv = 1),
    OWN("user and hypervisor", INSTRUCTIONS, .exclude_kernel = 1),
    OWN("kernel", INSTRUCTIONS, .exclude_user = 1),
    OWN("user and kernel", INSTRUCTIONS),
    OWN("raw, user", RAW(0xc0), .exclude_kernel = 1),
    OWN("raw", RAW(0xc0)),
    OWN("cache, user", CACHE_L1D_MISS, .exclude_kernel = 1),
    OWN("guests", INSTRUCTIONS, .exclude_host = 1, .exclude_kernel = 1),
    OWN("user, inherit", INSTRUCTIONS, .exclude_kernel = 1, .inherit = 1),
    OWN("user, pinned", INSTRUCTIONS, .exclude_kernel = 1, .pinned = 1),
    OWN("user, sampling", INSTRUCTIONS, .exclude_kernel = 1, .sample_period = 1000000),
    OWN("sampling", INSTRUCTIONS, .sample_period = 1000000),
    OWN("raw, user, sampling", RAW(0xc0), .exclude_kernel = 1, .sample_period = 1000000),
    OWN("user, precise", INSTRUCTIONS, .exclude_kernel = 1, .precise_ip = 2),
    OWN("user, no such event", .type = PERF_TYPE_HARDWARE, .config = 10, .exclude_kernel = 1),
    OWN("no such event", .type = PERF_TYPE_HARDWARE, .config = 10),
    OWN("software, user", SOFTWARE(TASK_CLOCK), .exclude_kernel = 1),
    PLACED("thread 1, user", 1, -1, INSTRUCTIONS, .exclude_kernel = 1),
    PLACED("thread 0 on CPU 1, user", 0, 1, INSTRUCTIONS, .exclude_kernel = 1),
    PLACED("CPU 0", -1, 0, INSTRUCTIONS),
    PLACED("CPU 0, user", -1, 0, INSTRUCTIONS, .exclude_kernel = 1),
    PLACED("CPU 0, no such event", -1, 0, .type = PERF_TYPE_HARDWARE, .config = 10),
};

static void paranoid_set(const char *text)
{
    int rc = text_write(paranoid_path, text);

    if (rc != 0) {
        fprintf(stderr, "opens: %s: %s\n", paranoid_path, errno_name(rc));
        exit(EXIT_BED);
    }
}

static void paranoid_get(char *text, size_t size)
{
    int fd = open(paranoid_path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);

    if (got <= 0) {
        perror(paranoid_path);
        exit(EXIT_BED);
    }
    text[got] = '\0';
    close(fd);
}

static void user_run(const char *level)
{
    char prefix[32];
    int status;
    pid_t pid;

    snprintf(prefix, sizeof(prefix), "paranoid %s: ", level);
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        if (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0) {
            perror("setuid");
            _exit(EXIT_BED);
        }
        attempts_run(prefix, attempts, ARRAY_SIZE(attempts));
        fflush(stdout);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
        fprintf(stderr, "opens: the child without privileges failed\n");
        exit(EXIT_BED);
    }
}

void users_run(void)
{
    static const char *const levels[] = {"-1", "0", "1", "2", "3"};
    char before[16];

    part("without privileges");
    paranoid_get(before, sizeof(before));
    for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
        paranoid_set(levels[i]);
        user_run(levels[i]);
    }
    paranoid_set(before);
}
