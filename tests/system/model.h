/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs of the event model share: cases that run each in a process of its own, opening
 * and reading events. For glibc programs.
 */
#ifndef TESTS_SYSTEM_MODEL_H
#define TESTS_SYSTEM_MODEL_H

#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include "event.h"
#include "tap.h"
#include "worker.h"

#define CASE_SECONDS 30
#define MODEL_PAGE 4096ul
/* PMCs of the machine (CPUID says so; machine/qemu/README.md) */
#define COUNTERS 6

/* More selectors than there are counters; the machine counts something for each. */
static const char *const selectors[] __attribute__((unused)) = {
    "rc0:u", "rc2:u", "rc4:u", "rd1:u", "r76:u", "r45:u", "r2c:u",
};

struct reading {
    uint64_t value;
    uint64_t enabled_ns;
    uint64_t running_ns;
};

struct opening {
    const char *text;
    pid_t tid; /* 0: the caller */
    int cpu;   /* number + 1; 0: any */
    int group; /* descriptor + 1 of the leader; 0: none */
    bool disabled, pinned, exclusive, inherit, inherit_stat, enable_on_exec;
    uint64_t read_format; /* besides the times */
    unsigned long flags;
};

static const char *case_name;

/* "not ok": the tested thing is wrong. Ends the case where it cannot go on. */
static inline void model_fail(const char *format, ...)
{
    va_list arguments;

    printf("not ok - %s: ", case_name);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
    _exit(0);
}

static inline void model_error(const char *what)
{
    char text[160];

    snprintf(text, sizeof(text), "%s: %s", what, strerror(errno));
    tap_error(case_name, text);
    _exit(0);
}

static inline void want_equal(const char *what, uint64_t got, uint64_t want)
{
    if (got != want) {
        model_fail("%s: got %" PRIu64 " want %" PRIu64, what, got, want);
    }
}

static inline void want_true(const char *what, bool is)
{
    if (!is) {
        model_fail("%s: got no want yes", what);
    }
}

/* Returns a descriptor or -errno. */
static inline int model_try(struct opening o)
{
    struct perf_event_attr attr;
    long fd;

    if (event_parse(o.text, &attr) != 0) {
        errno = EINVAL;
        model_error(o.text);
    }
    attr.disabled = o.disabled;
    attr.pinned = o.pinned;
    attr.exclusive = o.exclusive;
    attr.inherit = o.inherit;
    attr.inherit_stat = o.inherit_stat;
    attr.enable_on_exec = o.enable_on_exec;
    attr.read_format =
        PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | o.read_format;
    fd = syscall(SYS_perf_event_open, &attr, o.tid, o.cpu - 1, o.group - 1,
                 PERF_FLAG_FD_CLOEXEC | o.flags);
    return fd < 0 ? -errno : (int)fd;
}

static inline int model_open(struct opening o)
{
    int fd = model_try(o);

    if (fd < 0) {
        model_fail("open %s: %s", o.text, strerror(-fd));
    }
    return fd;
}

static inline struct reading model_read(int fd)
{
    struct reading reading = {0, 0, 0};
    ssize_t size = read(fd, &reading, sizeof(reading));

    if (size != (ssize_t)sizeof(reading)) {
        model_fail("read: got %zd bytes want %zu", size, sizeof(reading));
    }
    return reading;
}

/* The count of an event that was never off its counter. */
static inline uint64_t model_count(int fd)
{
    struct reading reading = model_read(fd);

    if (reading.enabled_ns != reading.running_ns) {
        model_fail("running: got %" PRIu64 " ns want %" PRIu64 " ns", reading.running_ns,
                   reading.enabled_ns);
    }
    return reading.value;
}

static inline void model_ioctl(int fd, unsigned long request, unsigned long argument)
{
    if (ioctl(fd, request, argument) < 0) {
        model_fail("ioctl 0x%lx: %s", request, strerror(errno));
    }
}

static inline void model_pin(size_t cpu)
{
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    if (sched_setaffinity(0, sizeof(cpus), &cpus) != 0) {
        model_error("sched_setaffinity");
    }
}

static inline void model_pipe(int *fds)
{
    if (pipe(fds) != 0) {
        model_error("pipe");
    }
}

/* Waits until the worker waits in read(2) of its gate (proc(5), /proc/PID/syscall). */
static inline void model_at_gate(pid_t tid, const struct worker *worker)
{
    char path[64], want[64], text[64] = "";

    snprintf(path, sizeof(path), "/proc/%d/syscall", tid);
    snprintf(want, sizeof(want), "0 0x%" PRIx64 " ", (uint64_t)worker->gate_fd);
    for (int tries = 0; tries < 10000; tries++) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof(text));

        if (fd >= 0) {
            close(fd);
        }
        if (size > 0 && strncmp(text, want, strlen(want)) == 0) {
            return;
        }
        usleep(1000);
    }
    model_error("the worker did not come to its gate");
}

/* Binds another task to a CPU. */
static inline void model_pin_task(pid_t tid, size_t cpu)
{
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    if (sched_setaffinity(tid, sizeof(cpus), &cpus) != 0) {
        model_error("sched_setaffinity of a worker");
    }
}

/* Lets n workers through their common gate. */
static inline void model_go(int gate_fd, int n)
{
    for (int i = 0; i < n; i++) {
        if (write(gate_fd, "", 1) != 1) {
            model_error("write to the gate");
        }
    }
}

static inline uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* About 2 n instructions of the caller. */
static inline void model_spin(uint64_t n)
{
    bracket(-1, 0, n);
}

struct model_case {
    const char *name;
    void (*run)(void);
};

/* Each in a child, so that one that hangs or gives up takes no other with it. */
static inline int model_main(const struct model_case *cases, size_t nr, const char *only)
{
    for (size_t i = 0; i < nr; i++) {
        int status;
        pid_t pid;

        case_name = cases[i].name;
        if (only != NULL && strcmp(only, case_name) != 0) {
            continue;
        }
        fflush(stdout);
        pid = fork();
        if (pid == 0) {
            alarm(CASE_SECONDS);
            cases[i].run();
            printf("ok - %s\n", case_name);
            fflush(stdout);
            _exit(0);
        }
        if (pid < 0 || waitpid(pid, &status, 0) != pid) {
            tap_error(case_name, "fork or wait failed");
        } else if (status != 0) {
            printf("not ok - %s: ended with wait status 0x%x\n", case_name, (unsigned int)status);
        }
    }
    return 0;
}

#define MODEL_MAIN(cases)                                                                          \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        return model_main(cases, sizeof(cases) / sizeof((cases)[0]), argc > 1 ? argv[1] : NULL);   \
    }

#endif
