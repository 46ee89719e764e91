// SPDX-License-Identifier: GPL-2.0-only
/* The part of `opens` about groups, and about what is done to an open event. */
#define _GNU_SOURCE
#include "opens.h"
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define MEMBERS_MAX 8
#define NO_FD 99

/* Events of this many selectors fill the six counters and want one more. */
static const uint64_t selectors[MEMBERS_MAX] = {0xc0, 0x76, 0xc2, 0xc3, 0xc4, 0x40, 0xd1, 0x60};

/* Opens a member of a group and keeps it open; returns its file descriptor or -errno. */
static int member_open(struct attempt attempt, int leader_fd)
{
    attempt.group_fd = leader_fd;
    return attempt_open(&attempt);
}

/* The state of the last event opened, or which one failed and how. */
static void group_row(const char *name, const int *fds, size_t nr)
{
    char result[64];

    snprintf(result, sizeof(result), "%s", event_state(fds[nr - 1]));
    if (fds[nr - 1] < 0) {
        snprintf(result, sizeof(result), "%s at %zu", errno_name(fds[nr - 1]), nr);
    }
    row(name, result);
    for (size_t i = 0; i < nr; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
}

/* A leader and one member of their own kinds. */
static void pair_run(const char *name, struct attempt leader, struct attempt member)
{
    int fds[2];

    fds[0] = attempt_open(&leader);
    if (fds[0] < 0) {
        group_row(name, fds, 1);
        return;
    }
    fds[1] = member_open(member, fds[0]);
    group_row(name, fds, 2);
}

/*
 * nr events, in one group or each for itself, like the model but for the selector; with `alike`
 * for nothing. A first event given leads the group.
 */
static void many_run(const char *name, const struct attempt *first, struct attempt model, size_t nr,
                     bool group, bool alike)
{
    int fds[MEMBERS_MAX + 1];
    size_t opened = 0;

    if (first != NULL) {
        fds[opened++] = attempt_open(first);
    }
    for (size_t i = 0; i < nr; i++) {
        struct attempt attempt = model;

        attempt.attr.type = PERF_TYPE_RAW;
        attempt.attr.config = selectors[alike ? 0 : i];
        attempt.attr.pinned = model.attr.pinned && (!group || opened == 0);
        attempt.attr.disabled = model.attr.disabled && i + 1 < nr;
        fds[opened] = member_open(attempt, group && opened > 0 ? fds[0] : -1);
        if (fds[opened++] < 0) {
            break;
        }
    }
    group_row(name, fds, opened);
}

static void many_rows(void)
{
    const struct attempt own = OWN("", .exclude_user = 0);
    const struct attempt user = OWN("", .exclude_kernel = 1);
    const struct attempt disabled = OWN("", .disabled = 1);
    const struct attempt pinned = OWN("", .pinned = 1);
    const struct attempt on_cpu = PLACED("", -1, 1, .exclude_user = 0);
    const struct attempt clock = OWN("", SOFTWARE(TASK_CLOCK));
    const struct attempt dead = OWN("", HARDWARE(CACHE_MISSES), .disabled = 1);

    many_run("group of 6", NULL, own, 6, true, false);
    many_run("group of 7", NULL, own, 7, true, false);
    many_run("group of 6, user", NULL, user, 6, true, false);
    many_run("group of 7, user", NULL, user, 7, true, false);
    many_run("group of 7 alike", NULL, own, 7, true, true);
    many_run("group of 7, six of them disabled", NULL, disabled, 7, true, false);
    many_run("group of 6 on a CPU", NULL, on_cpu, 6, true, false);
    many_run("group of 7 on a CPU", NULL, on_cpu, 7, true, false);
    many_run("pinned group of 6", NULL, pinned, 6, true, false);
    many_run("pinned group of 7", NULL, pinned, 7, true, false);
    many_run("software leader and 6", &clock, own, 6, true, false);
    many_run("software leader and 7", &clock, own, 7, true, false);
    many_run("disabled leader and 6", &dead, own, 6, true, false);
    many_run("6 single events", NULL, own, 6, false, false);
    many_run("7 single events", NULL, own, 7, false, false);
    many_run("6 pinned events", NULL, pinned, 6, false, false);
    many_run("7 pinned events", NULL, pinned, 7, false, false);
    many_run("7 events on a CPU", NULL, on_cpu, 7, false, false);
}

static void pair_rows(void)
{
    const struct attempt own = OWN("", INSTRUCTIONS);
    const struct attempt exclusive = OWN("", INSTRUCTIONS, .exclusive = 1);
    const struct attempt sampling = OWN("", INSTRUCTIONS, .sample_period = 1000000);

    pair_run("software member", own, (struct attempt)OWN("", SOFTWARE(TASK_CLOCK)));
    pair_run("software leader", (struct attempt)OWN("", SOFTWARE(TASK_CLOCK)), own);
    pair_run("members of user and kernel", (struct attempt)OWN("", INSTRUCTIONS, .exclude_user = 1),
             (struct attempt)OWN("", INSTRUCTIONS, .exclude_kernel = 1));
    pair_run("member of no such event", own,
             (struct attempt)OWN("", .type = PERF_TYPE_HARDWARE, .config = 10));
    pair_run("member on another CPU", (struct attempt)PLACED("", -1, 0, INSTRUCTIONS),
             (struct attempt)PLACED("", -1, 1, INSTRUCTIONS));
    pair_run("member of another thread", own, (struct attempt)PLACED("", 1, -1, INSTRUCTIONS));
    pair_run("member of all threads of a CPU", own,
             (struct attempt)PLACED("", -1, 0, INSTRUCTIONS));
    pair_run("member on a CPU, leader on any", own, (struct attempt)PLACED("", 0, 0, INSTRUCTIONS));
    pair_run("pinned member", own, (struct attempt)OWN("", INSTRUCTIONS, .pinned = 1));
    pair_run("exclusive member", own, exclusive);
    pair_run("member of an exclusive leader", exclusive, own);
    pair_run("member of another clock", own,
             (struct attempt)OWN("", INSTRUCTIONS, .use_clockid = 1, .clockid = 1));
    pair_run("member that inherits", own, (struct attempt)OWN("", INSTRUCTIONS, .inherit = 1));
    pair_run("leader that inherits", (struct attempt)OWN("", INSTRUCTIONS, .inherit = 1), own);
    pair_run("member that excludes the host", own,
             (struct attempt)OWN("", INSTRUCTIONS, .exclude_host = 1));
    pair_run("sampling leader", sampling, own);
    pair_run("sampling member", own, sampling);
    pair_run("software clock sampling, hardware member",
             (struct attempt)OWN("", SOFTWARE(CPU_CLOCK), .sample_period = 1000000,
                                 .sample_type = PERF_SAMPLE_READ, .read_format = PERF_FORMAT_GROUP),
             own);
}

/* Rows that need a third event or a flag. */
static void other_rows(void)
{
    struct attempt own = OWN("", INSTRUCTIONS);
    struct attempt exclusive = OWN("", INSTRUCTIONS, .exclusive = 1);
    struct attempt flagged = own;
    int fds[3];

    fds[0] = attempt_open(&own);
    fds[1] = member_open(own, fds[0]);
    fds[2] = member_open(own, fds[1]);
    group_row("member of a member", fds, 3);

    fds[0] = attempt_open(&exclusive);
    fds[1] = attempt_open(&own);
    group_row("event beside an exclusive one", fds, 2);

    fds[0] = attempt_open(&own);
    fds[1] = attempt_open(&exclusive);
    group_row("exclusive event beside another", fds, 2);

    fds[0] = attempt_open(&own);
    flagged.flags = PERF_FLAG_FD_NO_GROUP;
    fds[1] = member_open(flagged, fds[0]);
    group_row("flag FD_NO_GROUP of an event", fds, 2);

    fds[0] = attempt_open(&own);
    flagged.flags = PERF_FLAG_FD_OUTPUT;
    fds[1] = member_open(flagged, fds[0]);
    group_row("flag FD_OUTPUT of an event", fds, 2);

    fds[0] = attempt_open(&own);
    flagged.flags = PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP;
    fds[1] = member_open(flagged, fds[0]);
    group_row("flags FD_OUTPUT and FD_NO_GROUP of an event", fds, 2);
}

void groups_run(void)
{
    many_rows();
    pair_rows();
    other_rows();
}

static uint64_t period = 1000;
static uint64_t period_zero;
static uint64_t id;
static uint32_t query[4] = {3};
static struct perf_event_attr same = {INSTRUCTIONS, .size = PERF_ATTR_SIZE_VER7};

static const struct {
    const char *name;
    unsigned long request;
    unsigned long value;
    void *pointer;
} requests[] = {
    {"ioctl DISABLE", PERF_EVENT_IOC_DISABLE, 0, NULL},
    {"ioctl ENABLE", PERF_EVENT_IOC_ENABLE, 0, NULL},
    {"ioctl ENABLE of the group", PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP, NULL},
    {"ioctl RESET", PERF_EVENT_IOC_RESET, 0, NULL},
    {"ioctl REFRESH", PERF_EVENT_IOC_REFRESH, 1, NULL},
    {"ioctl REFRESH of 0", PERF_EVENT_IOC_REFRESH, 0, NULL},
    {"ioctl PERIOD", PERF_EVENT_IOC_PERIOD, 0, &period},
    {"ioctl PERIOD of 0", PERF_EVENT_IOC_PERIOD, 0, &period_zero},
    {"ioctl PERIOD of nowhere", PERF_EVENT_IOC_PERIOD, 0, NULL},
    {"ioctl SET_OUTPUT to none", PERF_EVENT_IOC_SET_OUTPUT, -1UL, NULL},
    {"ioctl SET_OUTPUT to no event", PERF_EVENT_IOC_SET_OUTPUT, 2, NULL},
    {"ioctl SET_FILTER", PERF_EVENT_IOC_SET_FILTER, 0, "a == 1"},
    {"ioctl ID", PERF_EVENT_IOC_ID, 0, &id},
    {"ioctl ID to nowhere", PERF_EVENT_IOC_ID, 0, NULL},
    {"ioctl SET_BPF of a bad fd", PERF_EVENT_IOC_SET_BPF, NO_FD, NULL},
    {"ioctl PAUSE_OUTPUT", PERF_EVENT_IOC_PAUSE_OUTPUT, 1, NULL},
    {"ioctl QUERY_BPF", PERF_EVENT_IOC_QUERY_BPF, 0, query},
    {"ioctl MODIFY_ATTRIBUTES", PERF_EVENT_IOC_MODIFY_ATTRIBUTES, 0, &same},
    {"ioctl not there", _IO('$', 99), 0, NULL},
};

static void requests_run(int fd)
{
    for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
        unsigned long argument = requests[i].value;
        int rc;

        if (requests[i].pointer != NULL) {
            argument = (unsigned long)requests[i].pointer;
        }
        rc = ioctl(fd, requests[i].request, argument);
        row(requests[i].name, errno_name(rc < 0 ? -errno : rc));
    }
}

static void reads_run(int fd)
{
    struct attempt other = OWN("", SOFTWARE(TASK_CLOCK));
    int other_fd = attempt_open(&other);
    char buffer[64];
    int rc;

    rc = ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, other_fd);
    row("ioctl SET_OUTPUT to another event", errno_name(rc < 0 ? -errno : rc));
    close(other_fd);
    row("read of 8 bytes where 24 are due", errno_name(read(fd, buffer, 8) < 0 ? -errno : 0));
    row("read of 0 bytes", errno_name(read(fd, buffer, 0) < 0 ? -errno : 0));
    row("write", errno_name(write(fd, buffer, 8) < 0 ? -errno : 0));
    row("seek", errno_name(lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0));
    row("read after all this", event_state(fd));
}

static void map_row(const char *name, int fd, size_t pages, int protection, int kind)
{
    size_t size = pages * (size_t)sysconf(_SC_PAGESIZE);
    void *map = mmap(NULL, size, protection, kind, fd, 0);

    row(name, errno_name(map == MAP_FAILED ? -errno : 0));
    if (map != MAP_FAILED) {
        munmap(map, size);
    }
}

/* What the first page promises to a program that reads counters without a system call. */
static void page_rows(int fd)
{
    volatile struct perf_event_mmap_page *page =
        mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);

    if (page == MAP_FAILED) {
        row("page", errno_name(-errno));
        return;
    }
    row("page: rdpmc allowed", page->cap_user_rdpmc ? "yes" : "no");
    row("page: index", page->index != 0 ? "yes" : "no");
    row("page: width of counters", page->pmc_width != 0 ? "yes" : "no");
    row("page: time by TSC", page->cap_user_time ? "yes" : "no");
    munmap((void *)page, (size_t)sysconf(_SC_PAGESIZE));
}

static void offline_run(void)
{
    static const char online[] = "/sys/devices/system/cpu/cpu1/online";
    struct attempt attempt = PLACED("CPU offline", -1, 1, INSTRUCTIONS);
    int fd = attempt_open(&attempt);
    int rc = text_write(online, "0");

    if (rc != 0) {
        row("CPU offline", errno_name(rc));
    } else {
        attempts_run("", &attempt, 1);
        row("event of a CPU gone offline", event_state(fd));
        text_write(online, "1");
        row("event of a CPU that came back", event_state(fd));
    }
    close(fd);
}

void live_run(void)
{
    struct attempt own = OWN("", INSTRUCTIONS);
    int fd = attempt_open(&own);

    if (fd < 0) {
        row("an event for ioctls", errno_name(fd));
        return;
    }
    requests_run(fd);
    reads_run(fd);
    map_row("map a page", fd, 1, PROT_READ | PROT_WRITE, MAP_SHARED);
    map_row("map a page to read", fd, 1, PROT_READ, MAP_SHARED);
    map_row("map a page and 8", fd, 9, PROT_READ | PROT_WRITE, MAP_SHARED);
    map_row("map a page and 3", fd, 4, PROT_READ | PROT_WRITE, MAP_SHARED);
    map_row("map a page of its own", fd, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE);
    page_rows(fd);
    close(fd);
    part("CPU offline");
    offline_run();
}
