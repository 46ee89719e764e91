// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts the user instructions and branches of a program, its children and threads by
 * single-stepping them.
 *
 * The referee of the expected counts: no counter is involved, only ptrace(2). One step is one
 * instruction if the instruction pointer moved: a REP string is stepped by iterations and moves it
 * once, a faulting instruction not at all. Programs must not hold an instruction that jumps to
 * itself or a conditional branch to the instruction after it.
 * Usage: singlestep PROGRAM [ARG...]
 * Prints instructions, branches, taken branches and conditional branches.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define TASKS_MAX 64

struct task {
    pid_t tid;
    uint64_t ip;
    bool handler_entered; /* the next stop is at the first instruction of a signal handler */
    uint8_t code[8];      /* at ip, read before it runs */
};

static struct task tasks[TASKS_MAX];
static uint64_t insn_count;
static uint64_t branch_count;
static uint64_t taken_count;
static uint64_t conditional_count;

static struct task *task_find(pid_t tid)
{
    struct task *unused = NULL;

    for (int i = 0; i < TASKS_MAX; i++) {
        if (tasks[i].tid == tid) {
            return &tasks[i];
        }
        if (tasks[i].tid == 0) {
            unused = &tasks[i];
        }
    }
    if (unused == NULL) {
        fprintf(stderr, "singlestep: too many tasks\n");
        exit(2);
    }
    *unused = (struct task){.tid = tid};
    return unused;
}

static uint64_t task_ip(pid_t tid)
{
    struct user_regs_struct regs;

    if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) != 0) {
        perror("singlestep: PTRACE_GETREGS");
        exit(2);
    }
    return regs.rip;
}

/* Whether a SIGTRAP stop is the step itself; else int3 raised it and the program wants it. */
static bool trap_is_step(pid_t tid)
{
    siginfo_t info;

    if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) != 0) {
        perror("singlestep: PTRACE_GETSIGINFO");
        exit(2);
    }
    return info.si_code != SI_KERNEL;
}

static void code_read(struct task *task)
{
    long word = ptrace(PTRACE_PEEKTEXT, task->tid, task->ip, NULL);

    memcpy(task->code, &word, sizeof(task->code));
}

/* Opcodes: Intel SDM vol. 2, appendix A; the programs use no prefixes with branches. */
static void retired_account(const struct task *task, uint64_t next_ip)
{
    const uint8_t *code = task->code;
    bool near_jcc = code[0] == 0x0f && (code[1] & 0xf0) == 0x80;
    bool short_jcc = (code[0] & 0xf0) == 0x70 || (code[0] >= 0xe0 && code[0] <= 0xe3);
    uint8_t group5 = (code[1] >> 3) & 7; /* of ff: 2 call, 4 jmp */

    insn_count++;
    if (near_jcc || short_jcc) {
        branch_count++;
        conditional_count++;
        taken_count += next_ip != task->ip + (near_jcc ? 6 : 2);
    } else if (code[0] == 0xe8 || code[0] == 0xe9 || code[0] == 0xeb || code[0] == 0xc3 ||
               code[0] == 0xc2 || (code[0] == 0xff && (group5 == 2 || group5 == 4))) {
        branch_count++;
        taken_count++;
    }
}

/* Accounts one stop; returns the signal to deliver. */
static int stop_account(struct task *task, int status)
{
    int stop_signal = WSTOPSIG(status);
    int event = status >> 16;
    uint64_t ip = task_ip(task->tid);
    bool first = task->ip == 0;

    if (event != 0 && event != PTRACE_EVENT_EXEC) {
        return 0; /* within clone: the call has not returned yet */
    }
    if (!first && !task->handler_entered && ip != task->ip) {
        retired_account(task, ip);
    }
    task->ip = ip;
    code_read(task);
    task->handler_entered = false;
    if (first || event != 0 || (stop_signal == SIGTRAP && trap_is_step(task->tid))) {
        return 0;
    }
    task->handler_entered = true;
    return stop_signal;
}

static int tasks_step(pid_t leader)
{
    int exit_status = 0;
    int status;
    pid_t tid;

    while ((tid = waitpid(-1, &status, __WALL)) > 0) {
        struct task *task = task_find(tid);
        int deliver;

        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            insn_count += WIFEXITED(status) ? 1 : 0; /* the exit call, never stepped past */
            task->tid = 0;
            if (tid == leader) {
                exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            }
            continue;
        }
        deliver = stop_account(task, status);
        if (ptrace(PTRACE_SINGLESTEP, tid, NULL, deliver) != 0 && errno != ESRCH) {
            perror("singlestep: PTRACE_SINGLESTEP");
            exit(2);
        }
    }
    return exit_status;
}

int main(int argc, char **argv)
{
    long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                   PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    int status;
    pid_t leader;

    if (argc < 2) {
        fprintf(stderr, "usage: singlestep PROGRAM [ARG...]\n");
        return 2;
    }
    leader = fork();
    if (leader == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execv(argv[1], argv + 1);
        perror(argv[1]);
        _exit(127);
    }
    if (leader < 0 || waitpid(leader, &status, 0) != leader || !WIFSTOPPED(status) ||
        ptrace(PTRACE_SETOPTIONS, leader, NULL, options) != 0) {
        perror("singlestep: start");
        return 2;
    }
    task_find(leader)->ip = task_ip(leader);
    code_read(task_find(leader));
    ptrace(PTRACE_SINGLESTEP, leader, NULL, NULL);
    status = tasks_step(leader);
    printf("%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", insn_count, branch_count,
           taken_count, conditional_count);
    return status;
}
