/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks with constructed counts (worker.S): layout, what they count, how to start and join them. */
#ifndef TESTS_SYSTEM_WORKER_H
#define TESTS_SYSTEM_WORKER_H

/* struct worker and struct worker_op, for worker.S; checked below. */
#define WORKER_GATE 0
#define WORKER_OPS 8
#define WORKER_OPS_END 16
#define WORKER_ROUNDS 24
#define WORKER_MARK 40
#define WORKER_BYTE 56
#define OP_N 0
#define OP_CALL 8
#define OP_ARGUMENT 16
#define OP_BYTES 48

/* Instructions, as counted in worker.S. */
#define BRACKET_INSNS 4
#define READ_INSNS 3
#define SPIN_INSNS 2
#define WORKER_BIRTH 6
#define WORKER_AT_GATE 4
#define WORKER_FIXED 19 /* both phases of no rounds, both functions, exit */

#ifndef __ASSEMBLER__

#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Loops n times, n >= 1, then makes a system call that nothing restarts. */
struct worker_op {
    uint64_t n;
    uint64_t call;
    uint64_t argument[4];
};

struct worker {
    int64_t gate_fd; /* one byte is read from it first; negative: no gate */
    const struct worker_op *ops;
    const struct worker_op *ops_end;
    uint64_t rounds[2];
    void (*mark[2])(void); /* called after each half of the rounds */
    uint8_t gate_byte;
    volatile uint8_t spins; /* one that spins has come to its loop */
    /* Not known to worker.S: */
    uint32_t tid; /* 0 when the worker has ended */
    char stack[512] __attribute__((aligned(16)));
};

_Static_assert(offsetof(struct worker, gate_fd) == WORKER_GATE, "worker.S");
_Static_assert(offsetof(struct worker, ops) == WORKER_OPS, "worker.S");
_Static_assert(offsetof(struct worker, ops_end) == WORKER_OPS_END, "worker.S");
_Static_assert(offsetof(struct worker, rounds) == WORKER_ROUNDS, "worker.S");
_Static_assert(offsetof(struct worker, mark) == WORKER_MARK, "worker.S");
_Static_assert(offsetof(struct worker, gate_byte) == WORKER_BYTE, "worker.S");
_Static_assert(offsetof(struct worker_op, call) == OP_CALL, "worker.S");
_Static_assert(offsetof(struct worker_op, argument) == OP_ARGUMENT, "worker.S");
_Static_assert(sizeof(struct worker_op) == OP_BYTES, "worker.S");

extern pid_t worker_clone(unsigned long flags, void *stack, struct worker *worker, uint32_t *tid);
extern pid_t worker_clone_spinning(unsigned long flags, void *stack, struct worker *worker,
                                   uint32_t *tid);
extern void worker_no_mark(void);
extern void (*const worker_mark_start[])(void);
extern void (*const worker_mark_stop[])(void);
extern void bracket(int fd, unsigned int argument, uint64_t n);
extern ssize_t read_between(int fd, void *before, size_t size, void *after, uint64_t n);

/* A branch is jmp, jcc, call, ret or loop, as machine/qemu/README.md states. */
struct worker_counts {
    uint64_t insn;
    uint64_t branches;
    uint64_t taken;
    uint64_t conditional;
};

#define WORKER_INIT(list, nr)                                                                      \
    {                                                                                              \
        .gate_fd = -1, .ops = (list), .ops_end = (list) + (nr), .mark = {                          \
            worker_no_mark,                                                                        \
            worker_no_mark                                                                         \
        }                                                                                          \
    }

/* User counts of a worker from where it leaves its gate to its end. */
static inline struct worker_counts worker_expected(const struct worker *worker)
{
    /* two times call, jz, ret of a phase, call and ret of a function */
    struct worker_counts counts = {WORKER_FIXED, 10, 8, 2};
    uint64_t ops = (uint64_t)(worker->ops_end - worker->ops);
    uint64_t loops = 0;

    for (const struct worker_op *op = worker->ops; op != worker->ops_end; op++) {
        loops += op->n;
    }
    for (int i = 0; i < 2; i++) {
        uint64_t rounds = worker->rounds[i];

        counts.insn += rounds * (3 + 10 * ops + 2 * loops);
        counts.branches += rounds * (1 + ops + loops);
        counts.conditional += rounds * (1 + ops + loops);
        /*
         * Of a round's loops + ops + 1 the last of each loop and of the list fall through, and so
         * does the last of all; without rounds the first jump of the phase is taken.
         */
        counts.taken += rounds == 0 ? 1u : rounds * loops - 1;
    }
    return counts;
}

/* The same from its first instruction on. */
static inline struct worker_counts worker_expected_from_birth(const struct worker *worker)
{
    struct worker_counts counts = worker_expected(worker);

    counts.insn += WORKER_BIRTH + (worker->gate_fd < 0 ? 0u : WORKER_AT_GATE);
    counts.branches += 2;
    counts.conditional += 2;
    counts.taken += worker->gate_fd < 0 ? 2u : 1u;
    return counts;
}

#define WORKER_THREAD_FLAGS                                                                        \
    (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |            \
     CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

/* A thread of this process. Returns its id or -errno. */
static inline pid_t worker_thread(struct worker *worker)
{
    return worker_clone(WORKER_THREAD_FLAGS, worker->stack + sizeof(worker->stack), worker,
                        &worker->tid);
}

static inline pid_t worker_thread_spinning(struct worker *worker)
{
    return worker_clone_spinning(WORKER_THREAD_FLAGS, worker->stack + sizeof(worker->stack), worker,
                                 &worker->tid);
}

/* A child process without an exit signal; it has a copy of everything. */
static inline pid_t worker_process(struct worker *worker)
{
    return worker_clone(0, NULL, worker, &worker->tid);
}

/* Returns when the thread has executed its last user instruction. */
static inline void worker_join(struct worker *worker)
{
    uint32_t tid;

    while ((tid = __atomic_load_n(&worker->tid, __ATOMIC_ACQUIRE)) != 0) {
        syscall(SYS_futex, &worker->tid, FUTEX_WAIT, tid, NULL, NULL, 0);
    }
}

static inline void worker_wait(pid_t pid)
{
    int status;

    waitpid(pid, &status, __WALL);
}

#endif
#endif
