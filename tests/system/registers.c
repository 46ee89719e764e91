/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: SSE registers keep their values over switches of threads and of VCPUs.
 * Ground truth: the program itself, which wrote them. Two processes a CPU, each with a value of its
 * own in a register, give way to each other and look at it.
 * Usage: registers [ROUNDS]
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

#define PER_CPU 2

/* Rounds left when the register first differed, 0: never. */
static uint64_t rounds_with(uint64_t value, uint64_t rounds)
{
    uint64_t left = rounds;

    __asm__ volatile("movq %[value], %%xmm15\n"
                     "1: mov %[yield], %%eax\n"
                     "syscall\n"
                     "movq %%xmm15, %%rax\n"
                     "cmp %[value], %%rax\n"
                     "jne 2f\n"
                     "dec %[left]\n"
                     "jnz 1b\n"
                     "2:\n"
                     : [left] "+r"(left)
                     : [value] "r"(value), [yield] "i"(SYS_sched_yield)
                     : "rax", "rcx", "r11", "xmm15", "cc", "memory");
    return left;
}

static pid_t process_start(unsigned int cpu, uint64_t value, uint64_t rounds)
{
    pid_t pid = fork();

    if (pid == 0) {
        cpu_set_t set;

        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        if (sched_setaffinity(0, sizeof(set), &set) != 0) {
            _exit(2);
        }
        _exit(rounds_with(value, rounds) != 0);
    }
    return pid;
}

int main(int argc, char **argv)
{
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t bad = 0;
    int status;

    for (long i = 0; i < cpus * PER_CPU; i++) {
        if (process_start((unsigned int)(i % cpus), 0x0123456789abcdefu * (uint64_t)(i + 1),
                          rounds) < 0) {
            tap_error("SSE registers", "cannot fork");
            return 0;
        }
    }
    while (wait(&status) > 0) {
        if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
            tap_error("SSE registers", "a process did not end as it should");
            return 0;
        }
        bad += (uint64_t)WEXITSTATUS(status);
    }
    tap_equal("SSE registers keep their values: processes that lost one", bad, 0);
    return 0;
}
