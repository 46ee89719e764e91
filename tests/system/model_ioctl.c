// SPDX-License-Identifier: GPL-2.0-only
/*
 * Property: the ioctls of an event, its times, copies and ends of its descriptor do as
 * perf_event_open(2) says.
 *
 * Ground truth: loops between two calls (worker.S), whose counts are arithmetic; else what Linux
 * without Xen does on the same counters, where this program must pass too.
 * Usage: model_ioctl [CASE]
 */
#define _GNU_SOURCE
#include "model.h"

#define ROUNDS 1000
#define RING_PAGES 2
#define NAP_NS 20000000u

static const struct opening plain = {.text = "instructions:u", .disabled = true};

static void enabled_and_disabled(void)
{
    int fd = model_open(plain);
    uint64_t want = 0;

    for (uint64_t round = 1; round <= ROUNDS; round++) {
        bracket(fd, 0, round);
        want += 2 * round + BRACKET_INSNS;
        if (round % 97 == 0) {
            want_equal("on the way", model_count(fd), want);
        }
    }
    want_equal("at the end", model_count(fd), want);
}

/* Another event that is always on must not see the others come and go. */
static void beside_another(void)
{
    int whole = model_open(plain);
    int part = model_open((struct opening){.text = "rc2:u", .disabled = true});
    uint64_t before[3], after[3];
    uint64_t want = 0;

    model_ioctl(whole, PERF_EVENT_IOC_ENABLE, 0);
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        bracket(part, 0, 50);
        want += 50;
        if (read_between(whole, before, sizeof(before), after, round) != sizeof(after)) {
            model_fail("short read");
        }
        want_equal("the one that stays", after[0] - before[0], 2 * round + READ_INSNS);
    }
    want_equal("the one that comes and goes", model_count(part), want);
}

static void reset(void)
{
    int fd = model_open(plain);
    uint64_t enabled_ns = 0;

    for (uint64_t round = 1; round <= ROUNDS; round++) {
        model_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
        want_equal("after reset", model_count(fd), 0);
        bracket(fd, 0, round * 3);
        want_equal("after a loop", model_count(fd), round * 6 + BRACKET_INSNS);
        want_true("the times go on", model_read(fd).enabled_ns > enabled_ns);
        enabled_ns = model_read(fd).enabled_ns;
    }
}

/* Reset of a running event: what it counts afterwards is what was counted since. */
static void reset_running(void)
{
    uint64_t before[3], after[3];
    int fd = model_open(plain);

    model_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        model_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
        if (read_between(fd, before, sizeof(before), after, round) != sizeof(after)) {
            model_fail("short read");
        }
        want_true("begins near nothing", before[0] < 1000);
        want_equal("after reset", after[0] - before[0], 2 * round + READ_INSNS);
    }
}

static void identity(void)
{
    struct {
        struct reading reading;
        uint64_t id;
    } with_id;
    uint64_t ids[3];
    int fds[3];

    for (int i = 0; i < 3; i++) {
        struct opening o = plain;

        o.read_format = PERF_FORMAT_ID;
        fds[i] = model_open(o);
        model_ioctl(fds[i], PERF_EVENT_IOC_ID, (unsigned long)&ids[i]);
    }
    want_true("all differ", ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t again;

        model_ioctl(fds[1], PERF_EVENT_IOC_ID, (unsigned long)&again);
        want_equal("the same again", again, ids[1]);
        bracket(fds[1], 0, 10);
        if (read(fds[1], &with_id, sizeof(with_id)) != sizeof(with_id)) {
            model_fail("short read");
        }
        want_equal("in a reading", with_id.id, ids[1]);
        want_equal("count", with_id.reading.value, round * (20 + BRACKET_INSNS));
    }
}

static void set_output(void)
{
    int target = model_open(plain);
    int fd = model_open(plain);
    void *ring =
        mmap(NULL, (1 + RING_PAGES) * MODEL_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, target, 0);

    if (ring == MAP_FAILED) {
        model_fail("mmap of a ring: %s", strerror(errno));
    }
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        model_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)target);
        bracket(fd, 0, 10);
        model_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)-1);
        want_equal("count", model_count(fd), round * (20 + BRACKET_INSNS));
    }
    munmap(ring, (1 + RING_PAGES) * MODEL_PAGE);
    bracket(target, 0, 10);
    want_equal("the target", model_count(target), 20 + BRACKET_INSNS);
}

/* What makes no sense for an event that takes no samples, with the errno of Linux without Xen. */
static void refusals(void)
{
    static const struct {
        const char *name;
        unsigned long request;
        int error;
    } table[] = {
        {"PERIOD", PERF_EVENT_IOC_PERIOD, EINVAL},
        {"REFRESH", PERF_EVENT_IOC_REFRESH, EINVAL},
        {"PAUSE_OUTPUT", PERF_EVENT_IOC_PAUSE_OUTPUT, EINVAL},
        {"MODIFY_ATTRIBUTES", PERF_EVENT_IOC_MODIFY_ATTRIBUTES, EOPNOTSUPP},
        {"an unknown one", _IO('$', 99), ENOTTY},
    };
    struct perf_event_attr attr;
    int fd = model_open(plain);

    event_parse("instructions:u", &attr);
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        uint64_t period = 1000;
        unsigned long argument = table[i].request == PERF_EVENT_IOC_REFRESH ? 1
                                 : table[i].request == PERF_EVENT_IOC_MODIFY_ATTRIBUTES
                                     ? (unsigned long)&attr
                                     : (unsigned long)&period;

        errno = 0;
        want_equal(table[i].name, (uint64_t)ioctl(fd, table[i].request, argument), UINT64_MAX);
        want_equal(table[i].name, (uint64_t)errno, (uint64_t)table[i].error);
        bracket(fd, 0, 10);
    }
    want_equal("count", model_count(fd), sizeof(table) / sizeof(table[0]) * (20 + BRACKET_INSNS));
}

static void nap(void)
{
    struct timespec time = {.tv_nsec = NAP_NS};

    nanosleep(&time, NULL);
}

static void disabled_times_stand(void)
{
    struct reading first, second;
    int fd = model_open(plain);

    bracket(fd, 0, 1000);
    first = model_read(fd);
    model_spin(1000000);
    nap();
    second = model_read(fd);
    want_equal("enabled", second.enabled_ns, first.enabled_ns);
    want_equal("running", second.running_ns, first.running_ns);
    want_equal("count", second.value, first.value);
}

static void copies_of_the_descriptor(void)
{
    int fd = model_open(plain);
    int copy = dup(fd);
    uint64_t want = 0;

    for (uint64_t round = 1; round <= 100; round++) {
        bracket(round % 2 != 0 ? fd : copy, 0, round);
        want += 2 * round + BRACKET_INSNS;
        want_equal("by the first", model_count(fd), want);
        want_equal("by the copy", model_count(copy), want);
    }
    close(fd);
    bracket(copy, 0, 1000);
    want += 2000 + BRACKET_INSNS;
    want_equal("after the first is closed", model_count(copy), want);
}

/* Closing an event that runs, and closing a leader, which sets its siblings free. */
static void closed_while_running(void)
{
    int stays = model_open(plain);

    for (uint64_t round = 1; round <= 100; round++) {
        int leader = model_open((struct opening){.text = "rc2:u"});
        int sibling = model_open((struct opening){.text = "rc4:u", .group = leader + 1});

        bracket(stays, 0, 10);
        close(leader);
        bracket(stays, 0, 10);
        model_count(sibling);
        close(sibling);
        bracket(stays, 0, 10);
        want_equal("count", model_count(stays), round * 3 * (20 + BRACKET_INSNS));
    }
}

static void all_of_the_task(void)
{
    int first = model_open(plain);
    int second = model_open((struct opening){.text = "rc2:u", .disabled = true});

    for (int round = 0; round < 100; round++) {
        prctl(PR_TASK_PERF_EVENTS_ENABLE);
        model_spin(1000);
        prctl(PR_TASK_PERF_EVENTS_DISABLE);
    }
    want_true("instructions", model_count(first) >= 200000 && model_count(first) < 260000);
    want_true("branches", model_count(second) >= 100000 && model_count(second) < 130000);
}

static const struct model_case cases[] = {
    {"ioctl: 1000 times enabled and disabled", enabled_and_disabled},
    {"ioctl: beside an event that stays", beside_another},
    {"ioctl: RESET", reset},
    {"ioctl: RESET while running", reset_running},
    {"ioctl: ID", identity},
    {"ioctl: SET_OUTPUT", set_output},
    {"ioctl: refused ones", refusals},
    {"times: stand while disabled", disabled_times_stand},
    {"descriptor: copies", copies_of_the_descriptor},
    {"descriptor: closed while running", closed_while_running},
    {"prctl: all events of the task", all_of_the_task},
};

MODEL_MAIN(cases)
