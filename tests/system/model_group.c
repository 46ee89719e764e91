// SPDX-License-Identifier: GPL-2.0-only
/*
 * Property: groups, pinned and exclusive events behave and count as perf_event_open(2) says.
 *
 * Ground truth: loops between two calls (worker.S), whose counts are arithmetic; else what Linux
 * without Xen does on the same counters, where this program must pass too.
 * Usage: model_group [CASE]
 */
#define _GNU_SOURCE
#include "model.h"

#define GROUP_MAX 8
#define ROUNDS 200
#define LONG_LOOP 20000000u

struct group_reading {
    uint64_t nr;
    uint64_t enabled_ns;
    uint64_t running_ns;
    uint64_t value[GROUP_MAX];
};

/* rc0, rc2, rc4, rd1 of a stretch with one loop */
static const char *const loop_events[4] = {"rc0:u", "rc2:u", "rc4:u", "rd1:u"};

static uint64_t loop_count(int event, uint64_t n, uint64_t insns)
{
    const uint64_t counts[4] = {2 * n + insns, n, n - 1, n};

    return counts[event];
}

/* Opens loop_events as one group, the leader disabled; returns the leader. */
static int loop_group(int *fds)
{
    for (int i = 0; i < 4; i++) {
        fds[i] = model_open((struct opening){.text = loop_events[i],
                                             .group = i == 0 ? 0 : fds[0] + 1,
                                             .disabled = i == 0,
                                             .read_format = PERF_FORMAT_GROUP});
    }
    return fds[0];
}

static size_t group_size(uint64_t nr)
{
    return (size_t)(3 + nr) * sizeof(uint64_t);
}

static void running_group_read(void)
{
    struct group_reading before, after;
    int fds[4];
    int leader = loop_group(fds);

    model_ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        if (read_between(leader, &before, group_size(4), &after, round * 7) !=
            (ssize_t)group_size(4)) {
            model_fail("short read of a group");
        }
        want_equal("number of members", after.nr, 4);
        want_equal("running", after.running_ns, after.enabled_ns);
        for (int i = 0; i < 4; i++) {
            want_equal(loop_events[i], after.value[i] - before.value[i],
                       loop_count(i, round * 7, READ_INSNS));
        }
    }
}

static void leader_toggled(void)
{
    uint64_t want[4] = {0};
    int fds[4];
    int leader = loop_group(fds);
    struct group_reading reading;

    for (uint64_t round = 1; round <= ROUNDS; round++) {
        bracket(leader, 0, round * 5);
        for (int i = 0; i < 4; i++) {
            want[i] += loop_count(i, round * 5, BRACKET_INSNS);
        }
        if (read(leader, &reading, sizeof(reading)) != (ssize_t)group_size(4)) {
            model_fail("short read of a group");
        }
        for (int i = 0; i < 4; i++) {
            want_equal(loop_events[i], reading.value[i], want[i]);
        }
    }
}

/* A sibling goes on and off while the others, two of them alike, go on. */
static void sibling_toggled(void)
{
    int leader = model_open((struct opening){.text = "rc0:u", .disabled = true});
    int twin = model_open((struct opening){.text = "rc0:u", .group = leader + 1});
    int sibling =
        model_open((struct opening){.text = "rc2:u", .group = leader + 1, .disabled = true});
    uint64_t want = 0;

    model_ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        bracket(sibling, 0, round);
        want += round;
        want_equal("branches of the sibling", model_count(sibling), want);
    }
    model_ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
    want_equal("the leader's twin", model_count(twin), model_count(leader));
    want_true("the leader went on", model_count(leader) > 2 * want);
}

/* With PERF_IOC_FLAG_GROUP the members start one after the other, in the kernel: same :u count. */
static void whole_group_toggled(void)
{
    struct group_reading reading;
    int fds[4];
    int leader = loop_group(fds);

    for (int i = 1; i < 4; i++) {
        model_ioctl(fds[i], PERF_EVENT_IOC_DISABLE, 0);
    }
    for (int round = 0; round < ROUNDS; round++) {
        bracket(leader, PERF_IOC_FLAG_GROUP, 1000);
    }
    if (read(leader, &reading, sizeof(reading)) != (ssize_t)group_size(4)) {
        model_fail("short read of a group");
    }
    for (int i = 0; i < 4; i++) {
        want_equal(loop_events[i], reading.value[i], ROUNDS * loop_count(i, 1000, BRACKET_INSNS));
    }
}

static void software_leader(void)
{
    int leader = model_open((struct opening){.text = "page-faults", .disabled = true});
    int sibling = model_open((struct opening){.text = "instructions:u", .group = leader + 1});

    for (uint64_t round = 1; round <= ROUNDS; round++) {
        bracket(leader, 0, 100);
        want_equal("instructions", model_count(sibling), round * (200 + BRACKET_INSNS));
    }
}

static void software_sibling(void)
{
    int leader = model_open((struct opening){.text = "instructions:u", .disabled = true});
    int sibling = model_open((struct opening){.text = "context-switches", .group = leader + 1});

    for (uint64_t round = 1; round <= ROUNDS; round++) {
        bracket(leader, 0, 100);
        want_equal("instructions", model_count(leader), round * (200 + BRACKET_INSNS));
    }
    model_count(sibling);
}

static void group_too_large(void)
{
    int leader = model_open((struct opening){.text = selectors[0], .disabled = true});
    int fd;

    for (int i = 1; i < COUNTERS; i++) {
        model_open((struct opening){.text = selectors[i], .group = leader + 1});
    }
    fd = model_try((struct opening){.text = selectors[COUNTERS], .group = leader + 1});
    want_equal("errno of the seventh member", (uint64_t)-fd, EINVAL);
    bracket(leader, 0, 1000);
    want_equal("the six go on", model_count(leader), 2000 + BRACKET_INSNS);
}

/* A pinned event that finds no counter is in error: read(2) says end of file. */
static void pinned_beyond_counters(void)
{
    struct reading reading;
    int fds[COUNTERS + 1];

    for (int i = 0; i <= COUNTERS; i++) {
        fds[i] = model_open((struct opening){.text = selectors[i], .pinned = true});
    }
    for (int i = 0; i < COUNTERS; i++) {
        model_count(fds[i]);
    }
    want_equal("read of the seventh", (uint64_t)read(fds[COUNTERS], &reading, sizeof(reading)), 0);
    model_ioctl(fds[COUNTERS], PERF_EVENT_IOC_ENABLE, 0);
    want_equal("read after enabling it again",
               (uint64_t)read(fds[COUNTERS], &reading, sizeof(reading)), 0);
    close(fds[0]);
    bracket(fds[COUNTERS], 0, 1000);
    want_equal("read after one has gone", (uint64_t)read(fds[COUNTERS], &reading, sizeof(reading)),
               sizeof(reading));
    for (int i = 1; i < COUNTERS; i++) {
        model_count(fds[i]);
    }
}

/* What comes back from error counts again, exactly. */
static void pinned_recovers(void)
{
    const char *const order[COUNTERS + 1] = {"r76:u", "rc2:u", "rc4:u", "rd1:u",
                                             "r45:u", "r2c:u", "rc0:u"};
    struct reading reading;
    int fds[COUNTERS + 1];

    for (int i = 0; i <= COUNTERS; i++) {
        fds[i] = model_open((struct opening){.text = order[i], .pinned = true});
    }
    want_equal("read of the seventh", (uint64_t)read(fds[COUNTERS], &reading, sizeof(reading)), 0);
    close(fds[1]);
    model_ioctl(fds[COUNTERS], PERF_EVENT_IOC_DISABLE, 0);
    model_ioctl(fds[COUNTERS], PERF_EVENT_IOC_RESET, 0);
    bracket(fds[COUNTERS], 0, 4321);
    want_equal("instructions", model_read(fds[COUNTERS]).value, 2 * 4321 + BRACKET_INSNS);
}

static void exclusive_pinned(void)
{
    int fd = model_open((struct opening){
        .text = "instructions:u", .disabled = true, .pinned = true, .exclusive = true});
    int other = model_open((struct opening){.text = "rc2:u", .disabled = true});

    model_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    model_ioctl(other, PERF_EVENT_IOC_ENABLE, 0);
    model_spin(LONG_LOOP);
    model_ioctl(other, PERF_EVENT_IOC_DISABLE, 0);
    model_count(fd);
    want_equal("count of the other", model_read(other).value, 0);
    want_equal("running time of the other", model_read(other).running_ns, 0);
    want_true("enabled time of the other", model_read(other).enabled_ns > 0);
    model_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    model_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
    bracket(fd, 0, 1000);
    want_equal("count of the exclusive one", model_count(fd), 2000 + BRACKET_INSNS);
}

static const struct model_case cases[] = {
    {"group: readings of a running group", running_group_read},
    {"group: leader enabled and disabled", leader_toggled},
    {"group: sibling enabled and disabled", sibling_toggled},
    {"group: all enabled and disabled at once", whole_group_toggled},
    {"group: software leader", software_leader},
    {"group: software sibling", software_sibling},
    {"group: one member too many", group_too_large},
    {"pinned: seven on six counters", pinned_beyond_counters},
    {"pinned: back from error", pinned_recovers},
    {"exclusive: pinned", exclusive_pinned},
};

MODEL_MAIN(cases)
