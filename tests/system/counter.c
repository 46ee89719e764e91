// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts events of another program with perf_event_open(2), from its first user instruction on, as
 * `perf stat` does, but says what every single run counted.
 *
 * The program runs without address space randomisation: under it about one exec in a hundred of a
 * glibc program takes two instructions more, natively too.
 * Exit status: 0 all counted, 2 usage or no such event, 3 not on a counter all the time, 4 the
 * program failed. Output, fields separated by tabs:
 *   EVENT  smallest count  greatest count  runs          each event
 *   sum    runs in which first + second != third event    -g with three events
 *   threadN  EVENT  count                                 -t, thread N in the order of creation
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include "event.h"

#define EVENTS_MAX 24
#define THREADS_MAX 16
#define EXIT_USAGE 2
#define EXIT_NOT_COUNTED 3
#define EXIT_PROGRAM 4

static const char *event_texts[EVENTS_MAX];
static int event_nr;
static bool group;
static int thread_nr;
static bool pin;
static size_t pin_cpu;
static char **command;

static uint64_t count_min[EVENTS_MAX];
static uint64_t count_max[EVENTS_MAX];
static int sum_wrong;

static void die(int status, const char *what, int error)
{
    fprintf(stderr, "counter: %s%s%s\n", what, error != 0 ? ": " : "",
            error != 0 ? strerror(error) : "");
    exit(status);
}

/* In the child: waits until the events are open, then becomes the program. */
static void child_run(int go_fd, int stdin_fd)
{
    cpu_set_t cpus;
    char byte;

    CPU_ZERO(&cpus);
    if (pin) {
        CPU_SET(pin_cpu, &cpus);
        if (sched_setaffinity(0, sizeof(cpus), &cpus) != 0) {
            die(EXIT_USAGE, "sched_setaffinity", errno);
        }
    }
    if (stdin_fd >= 0) {
        dup2(stdin_fd, STDIN_FILENO);
    }
    personality(ADDR_NO_RANDOMIZE);
    if (read(go_fd, &byte, 1) != 1) {
        _exit(EXIT_USAGE);
    }
    execv(command[0], command);
    die(EXIT_USAGE, command[0], errno);
}

static pid_t child_start(int *go_fd, int stdin_fd)
{
    int fds[2];
    pid_t pid;

    if (pipe2(fds, O_CLOEXEC) != 0) {
        die(EXIT_USAGE, "pipe2", errno);
    }
    pid = fork();
    if (pid == 0) {
        child_run(fds[0], stdin_fd);
    }
    if (pid < 0) {
        die(EXIT_USAGE, "fork", errno);
    }
    close(fds[0]);
    *go_fd = fds[1];
    return pid;
}

static void child_wait(pid_t pid)
{
    int status;

    if (waitpid(pid, &status, 0) != pid) {
        die(EXIT_PROGRAM, "waitpid", errno);
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "counter: %s: wait status 0x%x\n", command[0], (unsigned int)status);
        exit(EXIT_PROGRAM);
    }
}

static int event_start(const char *text, pid_t tid, int leader_fd)
{
    struct perf_event_attr attr;
    int fd;

    if (event_parse(text, &attr) != 0) {
        die(EXIT_USAGE, text, EINVAL);
    }
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    if (group) {
        attr.read_format |= PERF_FORMAT_GROUP;
    } else {
        attr.inherit = thread_nr == 0;
    }
    if (thread_nr == 0 && leader_fd < 0) {
        attr.disabled = 1;
        attr.enable_on_exec = 1;
    }
    fd = event_open(&attr, tid, leader_fd);
    if (fd < 0) {
        die(EXIT_USAGE, text, -fd);
    }
    return fd;
}

/* Reads a running or ended event or group of `nr`. */
static void counts_read(int fd, uint64_t *counts, int nr)
{
    uint64_t values[3 + EVENTS_MAX];
    const uint64_t *times = values + 1; /* after the count, or the number of counts */
    size_t size = (size_t)(group ? 3 + nr : 3) * sizeof(values[0]);

    if (read(fd, values, size) != (ssize_t)size) {
        die(EXIT_NOT_COUNTED, "short read of an event", 0);
    }
    if (times[0] != times[1]) {
        fprintf(stderr, "counter: enabled %" PRIu64 " ns, counted %" PRIu64 " ns\n", times[0],
                times[1]);
        exit(EXIT_NOT_COUNTED);
    }
    if (group) {
        memcpy(counts, values + 3, (size_t)nr * sizeof(values[0]));
    } else {
        counts[0] = values[0];
    }
}

static void run_account(const uint64_t *counts)
{
    for (int i = 0; i < event_nr; i++) {
        count_min[i] = counts[i] < count_min[i] ? counts[i] : count_min[i];
        count_max[i] = counts[i] > count_max[i] ? counts[i] : count_max[i];
    }
    sum_wrong += event_nr == 3 && counts[0] + counts[1] != counts[2];
}

static void run_whole(void)
{
    uint64_t counts[EVENTS_MAX];
    int fds[EVENTS_MAX];
    int go_fd;
    pid_t pid = child_start(&go_fd, -1);

    for (int i = 0; i < event_nr; i++) {
        fds[i] = event_start(event_texts[i], pid, group && i > 0 ? fds[0] : -1);
    }
    if (write(go_fd, "", 1) != 1) {
        die(EXIT_PROGRAM, "write", errno);
    }
    child_wait(pid);
    close(go_fd);
    for (int i = 0; i < event_nr; i++) {
        if (!group || i == 0) {
            counts_read(fds[i], counts + i, event_nr);
        }
    }
    for (int i = 0; i < event_nr; i++) {
        close(fds[i]);
    }
    run_account(counts);
}

/* Whether the thread waits in read(2) of its standard input (proc(5), /proc/PID/syscall). */
static bool thread_at_gate(pid_t pid, pid_t tid)
{
    char path[64];
    char text[64] = "";
    ssize_t size;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    size = read(fd, text, sizeof(text) - 1);
    close(fd);
    return size > 0 && strncmp(text, "0 0x0 ", 6) == 0;
}

static int tid_compare(const void *a, const void *b)
{
    pid_t x = *(const pid_t *)a;
    pid_t y = *(const pid_t *)b;

    return (x > y) - (x < y);
}

/* Fills tids with the threads that stand at the gate, in the order of their creation. */
static int threads_at_gate(pid_t pid, pid_t *tids)
{
    char path[64];
    struct dirent *entry;
    int nr = 0;
    DIR *dir;

    snprintf(path, sizeof(path), "/proc/%d/task", pid);
    dir = opendir(path);
    if (dir == NULL) {
        die(EXIT_PROGRAM, path, errno);
    }
    while ((entry = readdir(dir)) != NULL && nr < THREADS_MAX) {
        pid_t tid = atoi(entry->d_name);

        if (tid > 0 && thread_at_gate(pid, tid)) {
            tids[nr++] = tid;
        }
    }
    closedir(dir);
    qsort(tids, (size_t)nr, sizeof(tids[0]), tid_compare);
    return nr;
}

static void gate_wait(pid_t pid, pid_t *tids)
{
    const int tries = 2000;
    const useconds_t pause_us = 5000;

    for (int i = 0; i < tries; i++) {
        if (threads_at_gate(pid, tids) == thread_nr) {
            return;
        }
        usleep(pause_us);
    }
    die(EXIT_PROGRAM, "the threads did not come to the gate", 0);
}

static void run_threads(void)
{
    int fds[THREADS_MAX][EVENTS_MAX];
    uint64_t count;
    pid_t tids[THREADS_MAX];
    int gate[2];
    int go_fd;
    pid_t pid;

    if (pipe2(gate, O_CLOEXEC) != 0) {
        die(EXIT_USAGE, "pipe2", errno);
    }
    pid = child_start(&go_fd, gate[0]);
    if (write(go_fd, "", 1) != 1) {
        die(EXIT_PROGRAM, "write", errno);
    }
    gate_wait(pid, tids);
    for (int t = 0; t < thread_nr; t++) {
        for (int i = 0; i < event_nr; i++) {
            fds[t][i] = event_start(event_texts[i], tids[t], -1);
        }
    }
    if (write(gate[1], (const char[THREADS_MAX]){0}, (size_t)thread_nr) != thread_nr) {
        die(EXIT_PROGRAM, "write", errno);
    }
    child_wait(pid);
    for (int t = 0; t < thread_nr; t++) {
        for (int i = 0; i < event_nr; i++) {
            counts_read(fds[t][i], &count, 1);
            printf("thread%d\t%s\t%" PRIu64 "\n", t, event_texts[i], count);
            close(fds[t][i]);
        }
    }
}

static int arguments_parse(int argc, char **argv)
{
    int runs = 1;
    int option;

    while ((option = getopt(argc, argv, "+e:r:gt:c:")) != -1) {
        if (option == 'e' && event_nr < EVENTS_MAX) {
            event_texts[event_nr++] = optarg;
        } else if (option == 'r') {
            runs = atoi(optarg);
        } else if (option == 'g') {
            group = true;
        } else if (option == 't') {
            thread_nr = atoi(optarg);
        } else if (option == 'c') {
            pin = true;
            pin_cpu = (size_t)atoi(optarg);
        } else {
            event_nr = 0;
            break;
        }
    }
    if (event_nr == 0 || optind >= argc || thread_nr > THREADS_MAX || (group && thread_nr > 0)) {
        die(EXIT_USAGE, "usage: -e EVENT... [-r RUNS] [-g | -t THREADS] [-c CPU] PROGRAM [ARG...]",
            0);
    }
    command = argv + optind;
    return runs;
}

int main(int argc, char **argv)
{
    int runs = arguments_parse(argc, argv);

    if (thread_nr > 0) {
        for (int run = 0; run < runs; run++) {
            run_threads();
        }
        return 0;
    }
    for (int i = 0; i < event_nr; i++) {
        count_min[i] = UINT64_MAX;
    }
    for (int run = 0; run < runs; run++) {
        run_whole();
    }
    for (int i = 0; i < event_nr; i++) {
        printf("%s\t%" PRIu64 "\t%" PRIu64 "\t%d\n", event_texts[i], count_min[i], count_max[i],
               runs);
    }
    if (group && event_nr == 3) {
        printf("sum\t%d\n", sum_wrong);
    }
    return 0;
}
