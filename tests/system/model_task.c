// SPDX-License-Identifier: GPL-2.0-only
/*
 * Property: the events of tasks follow them from birth to end, to their children and over exec, and
 * count nobody else.
 *
 * Ground truth: workers (worker.S), whose counts are arithmetic; else what Linux without Xen does on
 * the same counters, where this program must pass too.
 * Usage: model_task [CASE]; model_task exec PROGRAM INSTRUCTIONS
 */
#define _GNU_SOURCE
#include "model.h"

#define STORM 200

static const char *const exec_name = "task: group enabled on exec";
static const char *exec_program;
static uint64_t exec_insns;

static const struct worker_op yields[] = {
    {.n = 300, .call = SYS_sched_yield},
    {.n = 70, .call = SYS_getppid},
};

/* A worker of `rounds` rounds; the more, the more it yields. */
static struct worker worker_of(uint64_t rounds)
{
    struct worker worker = WORKER_INIT(yields, 2);

    worker.rounds[0] = rounds;
    return worker;
}

/*
 * One event is inherited, another is the caller's own; both are started and stopped by one system
 * call, so their difference is what the children counted.
 */
static void children_counted(int nr, bool threads, bool at_once)
{
    static struct worker workers[STORM];
    static pid_t pids[STORM];
    int all =
        model_open((struct opening){.text = "instructions:u", .disabled = true, .inherit = true});
    int own = model_open((struct opening){.text = "instructions:u", .disabled = true});
    uint64_t want = 0;

    for (int i = 0; i < nr; i++) {
        workers[i] = worker_of((uint64_t)(1 + i % 7));
        want += worker_expected_from_birth(&workers[i]).insn;
    }
    prctl(PR_TASK_PERF_EVENTS_ENABLE);
    for (int i = 0; i < nr; i++) {
        pids[i] = threads ? worker_thread(&workers[i]) : worker_process(&workers[i]);
        if (!at_once) {
            worker_wait(pids[i]);
        }
    }
    for (int i = 0; i < nr && at_once; i++) {
        if (threads) {
            worker_join(&workers[i]);
        } else {
            worker_wait(pids[i]);
        }
    }
    prctl(PR_TASK_PERF_EVENTS_DISABLE);
    want_equal("instructions of the children", model_read(all).value - model_read(own).value, want);
}

static void inherited_in_turn(void)
{
    children_counted(20, false, false);
}

static void inherited_at_once(void)
{
    children_counted(8, false, true);
}

static void inherited_by_threads(void)
{
    children_counted(16, true, true);
}

static void inherited_in_a_storm(void)
{
    children_counted(STORM, false, true);
}

/* What a caller and its children, all on CPU 0, counted together. */
static uint64_t family_counted(int fd, int nr, uint64_t rounds)
{
    struct worker workers[8];
    pid_t pids[8];
    uint64_t before = model_read(fd).value;

    /* No reset: that leaves what ended children counted. */
    model_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    for (int i = 0; i < nr; i++) {
        workers[i] = worker_of(rounds * (uint64_t)(i + 1));
        pids[i] = worker_process(&workers[i]);
    }
    for (int i = 0; i < nr; i++) {
        worker_wait(pids[i]);
    }
    model_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    return model_read(fd).value - before;
}

/*
 * Children whose every event is inherited swap contexts where one follows the other on a CPU. The
 * caller makes the same way in each run, so two runs differ by the children's rounds.
 */
static void inherited_and_swapped(void)
{
    const uint64_t per_round = 3 + 2 * 10 + 2 * (300 + 70);
    uint64_t counts[4];
    int fd;

    model_pin(0);
    fd = model_open((struct opening){.text = "instructions:u", .disabled = true, .inherit = true});
    for (uint64_t run = 0; run < 4; run++) {
        counts[run] = family_counted(fd, 8, 10 + 7 * run);
    }
    /* The first run is left out: code and stack are touched for the first time. */
    for (int run = 2; run < 4; run++) {
        want_equal("7 times 36 rounds more", counts[run] - counts[run - 1], 7 * 36 * per_round);
    }
}

static void enabled_on_exec(void)
{
    int gate[2];
    int leader, sibling, status;
    char byte;
    pid_t pid;

    model_pipe(gate);
    pid = fork();
    if (pid == 0) {
        if (read(gate[0], &byte, 1) == 1) {
            execl(exec_program, exec_program, NULL);
        }
        _exit(1);
    }
    leader = model_open((struct opening){
        .text = "instructions:u", .tid = pid, .disabled = true, .enable_on_exec = true});
    sibling =
        model_open((struct opening){.text = "instructions:u", .tid = pid, .group = leader + 1});
    model_go(gate[1], 1);
    waitpid(pid, &status, 0);
    want_equal("status", (uint64_t)status, 0);
    want_equal("leader", model_count(leader), exec_insns);
    want_equal("sibling", model_count(sibling), exec_insns);
}

/* Of two threads at a gate one has the event. */
static void attached_to_a_thread(void)
{
    struct worker workers[2];
    int fds[4];
    int gate[2];

    model_pipe(gate);
    for (int i = 0; i < 2; i++) {
        workers[i] = worker_of(40);
        workers[i].gate_fd = gate[0];
        worker_thread(&workers[i]);
        model_at_gate((pid_t)workers[i].tid, &workers[i]);
    }
    for (int i = 0; i < 4; i++) {
        const char *const texts[4] = {"rc0:u", "rc2:u", "rc4:u", "rd1:u"};

        fds[i] = model_open((struct opening){.text = texts[i], .tid = (pid_t)workers[1].tid});
    }
    model_go(gate[1], 2);
    worker_join(&workers[0]);
    worker_join(&workers[1]);
    want_equal("instructions", model_count(fds[0]), worker_expected(&workers[1]).insn);
    want_equal("branches", model_count(fds[1]), worker_expected(&workers[1]).branches);
    want_equal("taken", model_count(fds[2]), worker_expected(&workers[1]).taken);
    want_equal("conditional", model_count(fds[3]), worker_expected(&workers[1]).conditional);
}

/*
 * A group put on a thread that spins, one branch to two instructions: what is left after taking the
 * spins off is what follows them; one less if the group came between the two.
 */
static void attached_while_running(void)
{
    for (int round = 0; round < 50; round++) {
        struct worker worker = worker_of(3);
        struct worker_counts want = worker_expected(&worker);
        uint64_t rest = want.insn + 1; /* one more jump than after a gate */
        uint64_t left;
        int insns, branches;

        worker_thread_spinning(&worker);
        while (worker.spins == 0) {
            sched_yield();
        }
        model_spin((uint64_t)(1 + round * 1000));
        insns = model_open(
            (struct opening){.text = "instructions:u", .tid = (pid_t)worker.tid, .disabled = true});
        branches = model_open(
            (struct opening){.text = "rc2:u", .tid = (pid_t)worker.tid, .group = insns + 1});
        model_ioctl(insns, PERF_EVENT_IOC_ENABLE, 0);
        while (model_count(branches) < 100) {
            model_spin(1000);
        }
        __atomic_store_n(&worker.gate_byte, 1, __ATOMIC_RELEASE);
        worker_join(&worker);
        left = model_count(insns) - SPIN_INSNS * (model_count(branches) - want.branches - 1);
        if (left + 1 != rest) {
            want_equal("instructions beside the spins", left, rest);
        }
        close(branches);
        close(insns);
    }
}

/* Its group never came on: pinned events hold all counters. */
static void ended_while_inactive(void)
{
    struct worker worker = worker_of(100);
    int pinned[COUNTERS];
    int gate[2];
    int leader, sibling;
    pid_t pid;

    model_pipe(gate);
    worker.gate_fd = gate[0];
    pid = worker_process(&worker);
    model_at_gate(pid, &worker);
    for (int i = 0; i < COUNTERS; i++) {
        pinned[i] = model_open((struct opening){.text = selectors[i], .tid = pid, .pinned = true});
    }
    leader = model_open((struct opening){.text = "r1c0:u", .tid = pid});
    sibling = model_open((struct opening){.text = "r2c0:u", .tid = pid, .group = leader + 1});
    model_go(gate[1], 1);
    worker_wait(pid);
    want_equal("instructions", model_count(pinned[0]), worker_expected(&worker).insn);
    for (int i = 0; i < 2; i++) {
        struct reading reading = model_read(i == 0 ? leader : sibling);

        want_equal("count of what never ran", reading.value, 0);
        want_equal("running", reading.running_ns, 0);
        want_true("enabled", reading.enabled_ns > 0);
    }
}

static void read_after_exit(void)
{
    struct worker worker = worker_of(100);
    struct reading first, second;
    uint64_t want = worker_expected(&worker).insn;
    int gate[2];
    pid_t pid;
    int fd;

    model_pipe(gate);
    worker.gate_fd = gate[0];
    pid = worker_process(&worker);
    model_at_gate(pid, &worker);
    fd = model_open((struct opening){.text = "instructions:u", .tid = pid});
    model_go(gate[1], 1);
    worker_wait(pid);
    first = model_read(fd);
    model_spin(1000000);
    second = model_read(fd);
    want_equal("count", first.value, want);
    want_equal("count later", second.value, want);
    want_equal("enabled later", second.enabled_ns, first.enabled_ns);
    want_equal("running later", second.running_ns, first.enabled_ns);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    want_equal("count after enabling", model_read(fd).value, want);
    model_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
    want_equal("count after reset", model_read(fd).value, 0);
}

/* How many of a running thread's events could be opened and closed before it ended. */
static int closed_while_running(void)
{
    struct worker worker = worker_of(20000);
    int gate[2];
    int stays;
    int closed = 0;

    model_pipe(gate);
    worker.gate_fd = gate[0];
    worker_thread(&worker);
    model_at_gate((pid_t)worker.tid, &worker);
    stays = model_open((struct opening){.text = "instructions:u", .tid = (pid_t)worker.tid});
    model_go(gate[1], 1);
    while (__atomic_load_n(&worker.tid, __ATOMIC_ACQUIRE) != 0) {
        int fd = model_try(
            (struct opening){.text = selectors[1 + closed % 5], .tid = (pid_t)worker.tid});

        if (fd < 0) {
            break; /* it has ended */
        }
        model_spin(2000);
        close(fd);
        closed++;
    }
    worker_join(&worker);
    want_equal("instructions", model_count(stays), worker_expected(&worker).insn);
    close(stays);
    return closed;
}

/*
 * Closing one of a running thread's events from another CPU leaves the other exact. On a busy host
 * the two CPUs take turns and a thread may end before the other has done much: as many threads as
 * it takes.
 */
static void closed_from_elsewhere(void)
{
    int closed = 0;

    for (int threads = 0; closed <= 20 && threads < 200; threads++) {
        closed += closed_while_running();
    }
    want_true("many were closed", closed > 20);
}

static const struct model_case cases[] = {
    {"task: inherited by children in turn", inherited_in_turn},
    {"task: inherited by children at once", inherited_at_once},
    {"task: inherited by threads", inherited_by_threads},
    {"task: inherited by a storm of 200 children", inherited_in_a_storm},
    {"task: inherited by children that swap contexts", inherited_and_swapped},
    {"task: attached to one of two threads", attached_to_a_thread},
    {"task: attached while it runs", attached_while_running},
    {"task: ended while its group was off", ended_while_inactive},
    {"task: read after its end", read_after_exit},
    {"task: events closed from elsewhere", closed_from_elsewhere},
};

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "exec") == 0) {
        const struct model_case on_exec = {exec_name, enabled_on_exec};

        exec_program = argv[2];
        exec_insns = strtoull(argv[3], NULL, 10);
        return model_main(&on_exec, 1, NULL);
    }
    return model_main(cases, sizeof(cases) / sizeof(cases[0]), argc > 1 ? argv[1] : NULL);
}
