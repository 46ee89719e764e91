// SPDX-License-Identifier: GPL-2.0-only
/*
 * Property: events of CPUs and cgroups count who runs there, events of tasks who moves between CPUs
 * and alternates with others, exactly.
 *
 * Ground truth: workers (worker.S) whose counts are arithmetic. Nothing else is in user mode on a
 * CPU that holds only workers. Needs two CPUs.
 * Usage: model_cpu [CASE]
 */
#define _GNU_SOURCE
#include <sys/mount.h>
#include <sys/stat.h>
#include "model.h"

#define WORKERS 4
#define CGROUP_ROOT "/tmp/model-cgroup"

static const unsigned long cpu_masks[2] = {1, 2};

static const struct worker_op yields[] = {
    {.n = 900, .call = SYS_sched_yield},
    {.n = 17, .call = SYS_getppid},
};

/* The first half of a round runs on CPU 0, the second on CPU 1. */
static const struct worker_op moves[] = {
    {.n = 4000, .call = SYS_sched_setaffinity, .argument = {0, 8, (uintptr_t)&cpu_masks[1]}},
    {.n = 700, .call = SYS_sched_setaffinity, .argument = {0, 8, (uintptr_t)&cpu_masks[0]}},
};

/* Threads at a gate, bound to one CPU; the caller is on CPU 0. Returns the gate's end to write. */
static int workers_start(struct worker *workers, int nr, const struct worker_op *ops,
                         uint64_t rounds, size_t cpu)
{
    int gate[2];

    model_pin(0);
    model_pipe(gate);
    for (int i = 0; i < nr; i++) {
        workers[i] = (struct worker)WORKER_INIT(ops, 2);
        workers[i].rounds[0] = rounds + (uint64_t)i;
        workers[i].gate_fd = gate[0];
        worker_thread(&workers[i]);
        model_pin_task((pid_t)workers[i].tid, cpu);
        model_at_gate((pid_t)workers[i].tid, &workers[i]);
    }
    return gate[1];
}

static void workers_end(struct worker *workers, int nr, int gate_fd)
{
    model_go(gate_fd, nr);
    for (int i = 0; i < nr; i++) {
        worker_join(&workers[i]);
    }
}

static void task_and_cpu_at_once(void)
{
    struct worker workers[WORKERS];
    int fds[WORKERS];
    uint64_t want = 0;
    int gate_fd = workers_start(workers, WORKERS, yields, 300, 1);
    int cpu_fd = model_open((struct opening){.text = "instructions:u", .tid = -1, .cpu = 2});

    for (int i = 0; i < WORKERS; i++) {
        fds[i] =
            model_open((struct opening){.text = "instructions:u", .tid = (pid_t)workers[i].tid});
        want += worker_expected(&workers[i]).insn;
    }
    workers_end(workers, WORKERS, gate_fd);
    for (int i = 0; i < WORKERS; i++) {
        want_equal("of one task", model_count(fds[i]), worker_expected(&workers[i]).insn);
    }
    want_equal("of the CPU", model_count(cpu_fd), want);
}

/* As `-a`: an event on each CPU, and none of a task. */
static void all_cpus(void)
{
    struct worker workers[WORKERS];
    uint64_t before[3], after[3];
    uint64_t want = 0;
    int gate_fd = workers_start(workers, WORKERS, yields, 200, 1);
    int fds[2];

    for (int cpu = 0; cpu < 2; cpu++) {
        fds[cpu] =
            model_open((struct opening){.text = "instructions:u", .tid = -1, .cpu = cpu + 1});
    }
    for (uint64_t round = 1; round <= 100; round++) {
        if (read_between(fds[0], before, sizeof(before), after, round * 9) != sizeof(after)) {
            model_fail("short read");
        }
        want_equal("CPU 0, which runs this", after[0] - before[0], round * 18 + READ_INSNS);
    }
    want_equal("CPU 1, which is idle", model_count(fds[1]), 0);
    for (int i = 0; i < WORKERS; i++) {
        want += worker_expected(&workers[i]).insn;
    }
    workers_end(workers, WORKERS, gate_fd);
    want_equal("CPU 1, which ran the workers", model_count(fds[1]), want);
}

/* A CPU's pinned events take all counters; a task's event has to wait, and says so. */
static void cpu_before_task(void)
{
    struct worker worker;
    struct reading reading;
    int gate_fd = workers_start(&worker, 1, yields, 300, 1);
    int fds[COUNTERS];
    int fd;

    for (int i = 0; i < COUNTERS; i++) {
        fds[i] =
            model_open((struct opening){.text = selectors[i], .tid = -1, .cpu = 2, .pinned = true});
    }
    fd = model_open((struct opening){.text = "r1c0:u", .tid = (pid_t)worker.tid});
    workers_end(&worker, 1, gate_fd);
    reading = model_read(fd);
    want_equal("of the CPU", model_count(fds[0]), worker_expected(&worker).insn);
    want_equal("of the task", reading.value, 0);
    want_equal("running", reading.running_ns, 0);
    want_true("enabled", reading.enabled_ns > 0);
}

static void moved(void)
{
    struct worker worker;
    int gate_fd = workers_start(&worker, 1, moves, 150, 0);
    pid_t tid = (pid_t)worker.tid;
    int moves_fd = model_open((struct opening){.text = "cpu-migrations", .tid = tid});
    int fds[4], cpu_fds[2];
    struct reading parts[2];
    struct worker_counts want = worker_expected(&worker);
    uint64_t loops = 150 * (2 * (4000 - 700));

    for (int i = 0; i < 4; i++) {
        fds[i] = model_open((struct opening){.text = selectors[i], .tid = tid});
    }
    for (int cpu = 0; cpu < 2; cpu++) {
        cpu_fds[cpu] =
            model_open((struct opening){.text = "instructions:u", .tid = tid, .cpu = cpu + 1});
    }
    workers_end(&worker, 1, gate_fd);
    if (model_count(moves_fd) < 200) {
        tap_error(case_name, "it moved less than 200 times");
        _exit(0);
    }
    want_equal("instructions", model_count(fds[0]), want.insn);
    want_equal("branches", model_count(fds[1]), want.branches);
    want_equal("taken", model_count(fds[2]), want.taken);
    want_equal("conditional", model_count(fds[3]), want.conditional);
    for (int cpu = 0; cpu < 2; cpu++) {
        parts[cpu] = model_read(cpu_fds[cpu]);
    }
    want_equal("both CPUs' parts", parts[0].value + parts[1].value, want.insn);
    want_equal("both CPUs' times", parts[0].running_ns + parts[1].running_ns, parts[0].enabled_ns);
    /* A round is 10 instructions and a loop on each; 3 more, and all but the rounds, on CPU 0. */
    want_equal("the difference of the parts", parts[0].value - parts[1].value,
               loops + 150 * 3 + WORKER_FIXED);
}

static const char *const sets[WORKERS][COUNTERS] = {
    {"rc0:u"},
    {"rc2:u", "rc0:u", "r76:u"},
    {"rc4:u", "rd1:u"},
    {"r76:u", "r45:u", "rd1:u", "rc4:u", "rc2:u", "rc0:u"},
};

static uint64_t of_event(const struct worker_counts *counts, const char *text)
{
    return strcmp(text, "rc0:u") == 0   ? counts->insn
           : strcmp(text, "rc2:u") == 0 ? counts->branches
           : strcmp(text, "rc4:u") == 0 ? counts->taken
                                        : counts->conditional;
}

static void different_sets(void)
{
    struct worker workers[WORKERS];
    int fds[WORKERS][COUNTERS];
    int gate_fd = workers_start(workers, WORKERS, yields, 400, 1);

    for (int i = 0; i < WORKERS; i++) {
        for (int j = 0; j < COUNTERS && sets[i][j] != NULL; j++) {
            fds[i][j] =
                model_open((struct opening){.text = sets[i][j], .tid = (pid_t)workers[i].tid});
        }
    }
    workers_end(workers, WORKERS, gate_fd);
    for (int i = 0; i < WORKERS; i++) {
        struct worker_counts want = worker_expected(&workers[i]);

        for (int j = 0; j < COUNTERS && sets[i][j] != NULL; j++) {
            uint64_t got = model_count(fds[i][j]);

            if (strcmp(sets[i][j], "r76:u") != 0 && strcmp(sets[i][j], "r45:u") != 0) {
                want_equal(sets[i][j], got, of_event(&want, sets[i][j]));
            }
        }
    }
}

/* Makes a cgroup, returns its directory's descriptor. */
static int cgroup_make(void)
{
    int fd;

    mkdir(CGROUP_ROOT, 0755);
    if (mount("none", CGROUP_ROOT, "cgroup2", 0, NULL) != 0) {
        model_error("mount of cgroup2");
    }
    /* Enabling any controller makes the implicit ones, perf_event too, take effect below. */
    fd = open(CGROUP_ROOT "/cgroup.subtree_control", O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "+pids", 5) != 5) {
        model_error("cgroup.subtree_control");
    }
    close(fd);
    mkdir(CGROUP_ROOT "/counted", 0755);
    return open(CGROUP_ROOT "/counted", O_RDONLY | O_CLOEXEC);
}

static void cgroup_enter(int directory, pid_t pid)
{
    char text[32];
    int fd = openat(directory, "cgroup.procs", O_WRONLY | O_CLOEXEC);

    snprintf(text, sizeof(text), "%d", pid);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) {
        model_error("cgroup.procs");
    }
    close(fd);
}

/* Two of four processes are in the cgroup, all on one CPU, and yield to each other. */
static void cgroup(void)
{
    struct worker worker = WORKER_INIT(yields, 2);
    pid_t pids[WORKERS];
    int fds[2];
    int gate[2];
    uint64_t want;
    int directory;

    model_pin(0);
    model_pipe(gate);
    worker.gate_fd = gate[0];
    worker.rounds[0] = 300;
    for (int i = 0; i < WORKERS; i++) {
        pids[i] = worker_process(&worker);
        model_pin_task(pids[i], 1);
        model_at_gate(pids[i], &worker);
    }
    directory = cgroup_make();
    cgroup_enter(directory, pids[1]);
    cgroup_enter(directory, pids[3]);
    for (int cpu = 0; cpu < 2; cpu++) {
        fds[cpu] = model_open((struct opening){.text = "instructions:u",
                                               .tid = directory,
                                               .cpu = cpu + 1,
                                               .flags = PERF_FLAG_PID_CGROUP});
    }
    model_go(gate[1], WORKERS);
    for (int i = 0; i < WORKERS; i++) {
        worker_wait(pids[i]);
    }
    umount2(CGROUP_ROOT, MNT_DETACH);
    want = 2 * worker_expected(&worker).insn;
    want_equal("CPU 0", model_read(fds[0]).value, 0);
    want_equal("CPU 1", model_count(fds[1]), want);
}

static const struct model_case cases[] = {
    {"cpu: a CPU's and tasks' events at once", task_and_cpu_at_once},
    {"cpu: events of all CPUs", all_cpus},
    {"cpu: a CPU's pinned events go first", cpu_before_task},
    {"cpu: 200 moves of a thread", moved},
    {"cpu: threads with different sets", different_sets},
    {"cpu: cgroup", cgroup},
};

MODEL_MAIN(cases)
