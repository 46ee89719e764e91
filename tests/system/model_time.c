// SPDX-License-Identifier: GPL-2.0-only
/*
 * Property: events that take turns are each, scaled by enabled/running, what they count alone,
 * within 5 percent, and the turns use all counters all the time; times go with the clock.
 *
 * Ground truth: a loop of 2 n instructions and n branches; cycles of the same loop counted alone;
 * CLOCK_MONOTONIC. For a machine whose time goes with its instructions.
 * Usage: model_time [CASE]
 */
#define _GNU_SOURCE
#include "model.h"

#define EVENTS 12
/* On the machine, about a second: 250 turns of 4 ms. */
#define LOOP 60000000u
#define PERCENT 5
#define NAP_NS 20000000u

/* The machine ignores unit masks, and CMASK 1 changes nothing: machine/qemu/README.md. */
static const struct {
    const char *text;
    uint64_t want; /* 0: as counted alone */
} events[EVENTS] = {
    {"rc0:u", 2ull * LOOP}, {"rc2:u", LOOP},
    {"rc4:u", LOOP},        {"rd1:u", LOOP},
    {"r76:u", 0},           {"r1c0:u", 2ull * LOOP},
    {"r1c2:u", LOOP},       {"r1c4:u", LOOP},
    {"r1d1:u", LOOP},       {"r10000c0:u", 2ull * LOOP},
    {"r10000c2:u", LOOP},   {"r10000d1:u", LOOP},
};

static uint64_t alone(const char *text)
{
    int fd = model_open((struct opening){.text = text, .disabled = true});
    uint64_t count;

    bracket(fd, 0, LOOP);
    count = model_count(fd);
    close(fd);
    return count;
}

static void want_near(const char *what, double got, double want, double percent)
{
    if (got < want * (1 - percent / 100) || got > want * (1 + percent / 100)) {
        model_fail("%s: got %.4g want %.4g", what, got, want);
    }
}

static void readings_check(const int *fds, uint64_t cycles)
{
    double running = 0, enabled = 0;

    for (int i = 0; i < EVENTS; i++) {
        struct reading reading = model_read(fds[i]);
        uint64_t want = events[i].want != 0 ? events[i].want : cycles;

        want_true("it had a turn", reading.running_ns > 0);
        want_near(events[i].text,
                  (double)reading.value * (double)reading.enabled_ns / (double)reading.running_ns,
                  (double)want, PERCENT);
        want_near("its share", (double)reading.running_ns / (double)reading.enabled_ns,
                  (double)COUNTERS / EVENTS, PERCENT);
        running += (double)reading.running_ns;
        enabled += (double)reading.enabled_ns / EVENTS;
    }
    want_near("counters in use", running / enabled, COUNTERS, 1);
}

static void task(void)
{
    uint64_t cycles = alone("r76:u");
    int fds[EVENTS];

    for (int i = 0; i < EVENTS; i++) {
        fds[i] = model_open((struct opening){.text = events[i].text, .disabled = true});
    }
    prctl(PR_TASK_PERF_EVENTS_ENABLE);
    model_spin(LOOP);
    prctl(PR_TASK_PERF_EVENTS_DISABLE);
    readings_check(fds, cycles);
}

/* A pinned event beside them keeps its counter and is exact. */
static void beside_a_pinned_one(void)
{
    int pinned =
        model_open((struct opening){.text = "instructions:u", .disabled = true, .pinned = true});
    int fds[EVENTS];

    for (int i = 0; i < EVENTS; i++) {
        fds[i] = model_open((struct opening){.text = events[i].text});
    }
    bracket(pinned, 0, LOOP / 4);
    want_equal("instructions", model_count(pinned), 2ull * (LOOP / 4) + BRACKET_INSNS);
    for (int i = 0; i < EVENTS; i++) {
        want_true("it had a turn", model_read(fds[i]).running_ns > 0);
    }
}

/* Groups of four take turns as wholes: each has equal times, and its counts agree exactly. */
static void groups(void)
{
    struct {
        uint64_t nr, enabled_ns, running_ns, value[4];
    } reading;
    int leaders[3];

    for (int g = 0; g < 3; g++) {
        const char *const texts[3][4] = {{"rc0:u", "rc2:u", "rc4:u", "rd1:u"},
                                         {"r1c0:u", "r1c2:u", "r1c4:u", "r1d1:u"},
                                         {"r2c0:u", "r2c2:u", "r2c4:u", "r2d1:u"}};

        for (int i = 0; i < 4; i++) {
            int fd = model_open((struct opening){.text = texts[g][i],
                                                 .group = i == 0 ? 0 : leaders[g] + 1,
                                                 .read_format = PERF_FORMAT_GROUP});

            leaders[g] = i == 0 ? fd : leaders[g];
        }
    }
    model_spin(LOOP / 4);
    for (int g = 0; g < 3; g++) {
        if (read(leaders[g], &reading, sizeof(reading)) != (ssize_t)sizeof(reading)) {
            model_fail("short read of a group");
        }
        want_near("its share", (double)reading.running_ns / (double)reading.enabled_ns, 1.0 / 3,
                  PERCENT);
        want_near("instructions of two to a branch", (double)reading.value[0],
                  2 * (double)reading.value[1], 1);
        want_near("instructions in all",
                  (double)reading.value[0] * (double)reading.enabled_ns /
                      (double)reading.running_ns,
                  2.0 * (LOOP / 4), PERCENT);
    }
}

static void nap(void)
{
    struct timespec time = {.tv_nsec = NAP_NS};

    nanosleep(&time, NULL);
}

/* A task's event ages only while the task runs, a CPU's always, both as the clock says. */
static void times_and_clock(void)
{
    struct reading task[3], cpu[3];
    uint64_t clock[3];
    int task_fd, cpu_fd;

    model_pin(0);
    task_fd = model_open((struct opening){.text = "instructions:u"});
    cpu_fd = model_open((struct opening){.text = "instructions:u", .tid = -1, .cpu = 1});
    for (int i = 0; i < 3; i++) {
        task[i] = model_read(task_fd);
        cpu[i] = model_read(cpu_fd);
        clock[i] = now_ns();
        if (i == 0) {
            nap();
        } else {
            model_spin(5000000);
        }
    }
    for (int i = 0; i < 3; i++) {
        want_equal("running of the task's", task[i].running_ns, task[i].enabled_ns);
        want_equal("running of the CPU's", cpu[i].running_ns, cpu[i].enabled_ns);
    }
    want_true("asleep: the task's stands", task[1].enabled_ns - task[0].enabled_ns < NAP_NS / 4);
    want_true("asleep: the CPU's goes on",
              cpu[1].enabled_ns - cpu[0].enabled_ns > NAP_NS / 100 * 99 &&
                  cpu[1].enabled_ns - cpu[0].enabled_ns < (clock[1] - clock[0]) / 100 * 102);
    want_true("awake: the task's goes on",
              task[2].enabled_ns - task[1].enabled_ns > (clock[2] - clock[1]) / 100 * 90 &&
                  task[2].enabled_ns - task[1].enabled_ns < (clock[2] - clock[1]) / 100 * 102);
}

/* Neither is pinned: they take turns and are never on together. */
static void exclusive_takes_turns(void)
{
    struct reading a, b;
    int other = model_open((struct opening){.text = "rc2:u", .disabled = true});
    int fd =
        model_open((struct opening){.text = "instructions:u", .disabled = true, .exclusive = true});

    model_ioctl(other, PERF_EVENT_IOC_ENABLE, 0);
    model_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    model_spin(LOOP / 3);
    model_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    model_ioctl(other, PERF_EVENT_IOC_DISABLE, 0);
    a = model_read(fd);
    b = model_read(other);
    want_true("both ran", a.running_ns > 0 && b.running_ns > 0);
    want_true("never together", a.running_ns + b.running_ns <= b.enabled_ns);
    want_true("each in its share of time", (double)a.value / (double)a.running_ns <
                                               2.2 * (double)b.value / (double)b.running_ns);
}

static const struct model_case cases[] = {
    {"multiplexed: 12 events of a task", task},
    {"multiplexed: beside a pinned event", beside_a_pinned_one},
    {"multiplexed: three groups of four", groups},
    {"exclusive: takes turns", exclusive_takes_turns},
    {"times: go with the clock", times_and_clock},
};

MODEL_MAIN(cases)
