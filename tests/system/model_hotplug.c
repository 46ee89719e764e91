// SPDX-License-Identifier: GPL-2.0-only
/*
 * Property: a CPU that goes and comes back loses nothing of the tasks' events, and does to a CPU's
 * events what Linux without Xen does.
 *
 * Ground truth: workers (worker.S) whose counts are arithmetic; for a CPU's events Linux without
 * Xen, where this program must pass too. Needs a second CPU, number 1.
 * Usage: model_hotplug [CASE]
 */
#define _GNU_SOURCE
#include "model.h"

#define CYCLES 5
#define ONLINE "/sys/devices/system/cpu/cpu1/online"

static const struct worker_op yields[] = {
    {.n = 30000, .call = SYS_sched_yield},
    {.n = 17, .call = SYS_getppid},
};

static void online(const char *value)
{
    int fd = open(ONLINE, O_WRONLY | O_CLOEXEC);

    if (fd < 0 || write(fd, value, 1) != 1) {
        model_error(ONLINE);
    }
    close(fd);
}

/* A thread at a gate, bound to CPU 1. */
static int worker_start(struct worker *worker, uint64_t rounds)
{
    int gate[2];

    model_pin(0);
    model_pipe(gate);
    *worker = (struct worker)WORKER_INIT(yields, 2);
    worker->rounds[0] = rounds;
    worker->gate_fd = gate[0];
    worker_thread(worker);
    model_pin_task((pid_t)worker->tid, 1);
    model_at_gate((pid_t)worker->tid, worker);
    return gate[1];
}

/* The CPU goes from under a running thread, again and again. */
static void thread_on_it(void)
{
    struct worker worker;
    int gate_fd = worker_start(&worker, 20000);
    pid_t tid = (pid_t)worker.tid;
    int fds[2] = {
        model_open((struct opening){.text = "instructions:u", .tid = tid}),
        model_open((struct opening){.text = "rc2:u", .tid = tid}),
    };
    int moves_fd = model_open((struct opening){.text = "cpu-migrations", .tid = tid});

    model_go(gate_fd, 1);
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        usleep(20000);
        online("0");
        usleep(20000);
        online("1");
        model_pin_task(tid, 1);
    }
    if (worker.tid == 0) {
        tap_error(case_name, "it ended too early");
        _exit(0);
    }
    worker_join(&worker);
    want_true("it moved", model_count(moves_fd) >= 2 * CYCLES - 1);
    want_equal("instructions", model_count(fds[0]), worker_expected(&worker).insn);
    want_equal("branches", model_count(fds[1]), worker_expected(&worker).branches);
}

/* Events of a thread that wait at a gate while the CPU goes. */
static void thread_asleep(void)
{
    struct worker worker;
    int gate_fd = worker_start(&worker, 50);
    int fd = model_open((struct opening){.text = "instructions:u", .tid = (pid_t)worker.tid});

    for (int cycle = 0; cycle < CYCLES; cycle++) {
        online("0");
        online("1");
    }
    model_go(gate_fd, 1);
    worker_join(&worker);
    want_equal("instructions", model_count(fd), worker_expected(&worker).insn);
}

/* The count stands from then on; the CPU's return does not start it again, a new event counts. */
static void event_of_it(void)
{
    struct worker worker;
    struct reading before, gone, back;
    int gate_fd = worker_start(&worker, 50);
    int fd = model_open((struct opening){.text = "instructions:u", .tid = -1, .cpu = 2});
    int again;

    model_go(gate_fd, 1);
    worker_join(&worker);
    before = model_read(fd);
    want_equal("before", before.value, worker_expected(&worker).insn);
    online("0");
    gone = model_read(fd);
    want_equal("while it is gone", gone.value, before.value);
    want_equal(
        "errno of a new event",
        (uint64_t)-model_try((struct opening){.text = "instructions:u", .tid = -1, .cpu = 2}),
        ENODEV);
    online("1");
    gate_fd = worker_start(&worker, 70);
    again = model_open((struct opening){.text = "instructions:u", .tid = -1, .cpu = 2});
    model_go(gate_fd, 1);
    worker_join(&worker);
    back = model_read(fd);
    want_equal("the old event", back.value, before.value);
    want_equal("its enabled time", back.enabled_ns, gone.enabled_ns);
    want_equal("its running time", back.running_ns, back.enabled_ns);
    want_equal("a new event", model_count(again), worker_expected(&worker).insn);
}

static const struct model_case cases[] = {
    {"hotplug: a running thread", thread_on_it},
    {"hotplug: a sleeping thread", thread_asleep},
    {"hotplug: the CPU's event", event_of_it},
};

MODEL_MAIN(cases)
