// SPDX-License-Identifier: GPL-2.0-only
/*
 * Property: threads with random sets of events that compute, yield, sleep and move at random, while
 * other events come and go, each count exactly what they execute.
 *
 * Ground truth: every thread is a worker (worker.S) whose random list of operations is known, so
 * its counts are arithmetic. A seed always gives the same threads, events and lists.
 * Usage: schedule SEED. Prints one line "ok - schedule SEED ..." or "not ok - ...".
 */
#define _GNU_SOURCE
#include "marker.h"
#include "model.h"

#define THREADS_MAX 8u
#define OPS_MAX 12u
#define OPS_TOTAL 400u
#define LOOP_MAX 4000u
#define SLEEP_MAX_NS 200000u
/* One counter is left to the events that come and go. */
#define EVENTS_MAX (COUNTERS - 1u)
#define MARKER_ID 0

struct thread {
    struct worker worker;
    struct worker_op ops[OPS_MAX];
    struct timespec sleeps[OPS_MAX];
    const char *texts[EVENTS_MAX];
    int fds[EVENTS_MAX];
    unsigned int event_nr;
};

static struct thread threads[THREADS_MAX];
static uint64_t state;
static const unsigned long cpu_masks[3] = {1, 2, 3};

/* What worker_expected() knows; the others only take counters and time. */
static const char *const known[4] = {"rc0:u", "rc2:u", "rc4:u", "rd1:u"};
static const char *const others[] = {"rc0", "rc0:k", "r76:u", "r76", "r45:k", "r2c", "rc2:k"};
#define OTHERS (sizeof(others) / sizeof(others[0]))

/* Marsaglia, "Xorshift RNGs": all 64-bit numbers but 0. */
static uint32_t below(size_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 32) % limit);
}

static void op_choose(struct worker_op *op, struct timespec *sleep_time)
{
    *op = (struct worker_op){.n = 1 + below(LOOP_MAX), .call = SYS_getppid};
    switch (below(5)) {
    case 0:
    case 1:
        op->call = SYS_sched_yield;
        break;
    case 2:
        sleep_time->tv_nsec = below(SLEEP_MAX_NS);
        op->call = SYS_nanosleep;
        op->argument[0] = (uintptr_t)sleep_time;
        break;
    case 3:
        /* Where there is no such CPU it fails, which costs the same. */
        op->call = SYS_sched_setaffinity;
        op->argument[1] = sizeof(cpu_masks[0]);
        op->argument[2] = (uintptr_t)&cpu_masks[below(3)];
        break;
    default:
        break;
    }
}

static void thread_choose(struct thread *thread, int gate_fd)
{
    uint32_t nr = 1 + below(OPS_MAX);

    for (uint32_t i = 0; i < nr; i++) {
        op_choose(&thread->ops[i], &thread->sleeps[i]);
    }
    thread->worker = (struct worker)WORKER_INIT(thread->ops, nr);
    thread->worker.rounds[0] = 1 + OPS_TOTAL / nr / 2 + below(OPS_TOTAL / nr);
    thread->worker.gate_fd = gate_fd;
}

/* Some alone, some in groups, some pinned, some mapped. */
static void events_choose(struct thread *thread)
{
    /* One thread at least is checked, perhaps none other is counted. */
    unsigned int nr = below(EVENTS_MAX + 1) | (thread == &threads[0]);
    bool grouped = below(2) == 0;

    for (unsigned int i = 0; i < nr; i++) {
        struct opening o = {.tid = (pid_t)thread->worker.tid};

        o.text = known[below(4)];
        if (i > 0 && below(4) == 0) {
            o.text = others[below(OTHERS)];
        }
        if (grouped && i > 0) {
            o.group = thread->fds[0] + 1;
        } else {
            o.pinned = below(4) == 0;
        }
        thread->texts[i] = o.text;
        thread->fds[i] = model_open(o);
        if (below(2) == 0 &&
            mmap(NULL, MODEL_PAGE, PROT_READ, MAP_SHARED, thread->fds[i], 0) == MAP_FAILED) {
            model_fail("mmap: %s", strerror(errno));
        }
    }
    thread->event_nr = nr;
}

/* An event of some thread, or of the CPU the caller is on, that comes, perhaps stops, and goes. */
static void visit(uint32_t thread_nr)
{
    uint32_t which = below(thread_nr + 1);
    struct opening o = {.text = below(2) == 0 ? known[below(4)] : others[below(OTHERS)],
                        .disabled = below(2) == 0};
    int fd;

    if (which == thread_nr) {
        o.tid = -1;
        o.cpu = 1;
    } else {
        o.tid = (pid_t)__atomic_load_n(&threads[which].worker.tid, __ATOMIC_RELAXED);
        if (o.tid == 0) {
            return; /* its event would be the caller's own */
        }
    }
    fd = model_try(o);
    if (fd == -ESRCH) {
        return; /* the thread has ended meanwhile */
    }
    if (fd < 0) {
        model_fail("open %s: %s", o.text, strerror(-fd));
    }
    model_spin(1 + below(5000));
    if (below(2) == 0) {
        ioctl(fd, o.disabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
        usleep(below(300));
    }
    model_read(fd);
    close(fd);
}

static bool running(uint32_t thread_nr)
{
    for (uint32_t i = 0; i < thread_nr; i++) {
        if (__atomic_load_n(&threads[i].worker.tid, __ATOMIC_ACQUIRE) != 0) {
            return true;
        }
    }
    return false;
}

static unsigned int thread_check(uint32_t number)
{
    const struct thread *thread = &threads[number];
    const struct worker_counts want = worker_expected(&thread->worker);
    const uint64_t counts[4] = {want.insn, want.branches, want.taken, want.conditional};
    unsigned int checked = 0;

    for (unsigned int i = 0; i < thread->event_nr; i++) {
        struct reading reading = model_read(thread->fds[i]);

        for (int j = 0; j < 4; j++) {
            if (thread->texts[i] == known[j]) {
                char what[64];

                snprintf(what, sizeof(what), "thread %u, event %u, %s", number, i, known[j]);
                want_equal(what, reading.value, counts[j]);
                checked++;
            }
        }
        want_equal("running", reading.running_ns, reading.enabled_ns);
    }
    return checked;
}

int main(int argc, char **argv)
{
    unsigned int checked = 0, visits = 0;
    char name[64];
    uint32_t thread_nr;
    int gate[2];

    if (argc != 2) {
        fprintf(stderr, "usage: schedule SEED\n");
        return 2;
    }
    snprintf(name, sizeof(name), "schedule %s", argv[1]);
    case_name = name;
    /* Neighbouring seeds begin alike without the multiplication. */
    state = (strtoull(argv[1], NULL, 10) + 1) * 0x9e3779b97f4a7c15u;
    model_pin(0);
    model_pipe(gate);
    thread_nr = 2 + below(THREADS_MAX - 1);
    for (uint32_t i = 0; i < thread_nr; i++) {
        thread_choose(&threads[i], gate[0]);
        worker_thread(&threads[i].worker);
        model_at_gate((pid_t)threads[i].worker.tid, &threads[i].worker);
        events_choose(&threads[i]);
    }
    MARKER_START(MARKER_ID);
    model_go(gate[1], (int)thread_nr);
    while (running(thread_nr)) {
        visit(thread_nr);
        visits++;
    }
    MARKER_STOP(MARKER_ID);
    for (uint32_t i = 0; i < thread_nr; i++) {
        checked += thread_check(i);
    }
    printf("ok - %s: %u threads, %u counts, %u visits\n", name, thread_nr, checked, visits);
    return 0;
}
