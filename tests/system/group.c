// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several threads, each counting itself in one group of triples EVENT:u, EVENT:k, EVENT, which must
 * satisfy user + kernel = all exactly in every reading, of running and of stopped counters.
 *
 * Six triples are eighteen events: natively a group larger than the six PMCs is refused, so the
 * group opens only where the three of a triple share one.
 * Usage: group TRIPLES THREADS ROUNDS. Prints `readings N`, `wrong N`, `multiplexed N`,
 * `standing N` (readings in which user or kernel instructions did not grow).
 * Exit status 3: the group was refused; errno on stderr.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include "event.h"

#define TRIPLES_MAX 6
#define EXIT_REFUSED 3
#define PAGE_BYTES 4096ul
#define TOUCHED_PAGES 8ul

/* instructions first: `standing` looks at it */
static const char *const triple_events[TRIPLES_MAX] = {
    "instructions", "cycles", "branches", "rc4", "rd1", "r2c",
};
static const char *const filters[3] = {":u", ":k", ""};

static int triples;
static int rounds;
static atomic_int readings;
static atomic_int wrong;
static atomic_int multiplexed;
static atomic_int standing;

static int group_open(void)
{
    int leader_fd = -1;

    for (int i = 0; i < 3 * triples; i++) {
        struct perf_event_attr attr;
        char text[32];
        int fd;

        snprintf(text, sizeof(text), "%s%s", triple_events[i / 3], filters[i % 3]);
        event_parse(text, &attr);
        attr.disabled = leader_fd < 0;
        attr.read_format =
            PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        fd = event_open(&attr, 0, leader_fd);
        if (fd < 0) {
            fprintf(stderr, "group: event %d, %s: %s\n", i, text, strerror(-fd));
            exit(EXIT_REFUSED);
        }
        leader_fd = leader_fd < 0 ? fd : leader_fd;
    }
    return leader_fd;
}

/* User work, system calls, page faults and voluntary switches, a little different every time. */
static void work(int round)
{
    char *pages = mmap(NULL, TOUCHED_PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (unsigned long i = 0; i < TOUCHED_PAGES; i++) {
        pages[i * PAGE_BYTES] = 1;
    }
    munmap(pages, TOUCHED_PAGES * PAGE_BYTES);
    for (volatile int i = 0; i < 20000 * (1 + round % 3); i++) {
    }
    for (int i = 0; i < 20; i++) {
        getppid();
        if (i % 7 == 0) {
            sched_yield();
        }
    }
}

static void reading_check(int leader_fd, uint64_t *before)
{
    uint64_t values[3 + 3 * TRIPLES_MAX];
    size_t size = (size_t)(3 + 3 * triples) * sizeof(values[0]);
    const uint64_t *count = values + 3;
    bool sums_right = true;

    if (read(leader_fd, values, size) != (ssize_t)size) {
        fprintf(stderr, "group: short read\n");
        exit(2);
    }
    for (int i = 0; i < triples; i++) {
        sums_right = sums_right && count[3 * i] + count[3 * i + 1] == count[3 * i + 2];
    }
    readings++;
    wrong += !sums_right;
    multiplexed += values[1] != values[2];
    standing += count[0] <= before[0] || count[1] <= before[1];
    if (!sums_right && wrong <= 4) {
        for (int i = 0; i < triples; i++) {
            fprintf(stderr, "group: %s: %" PRIu64 " + %" PRIu64 " != %" PRIu64 "\n",
                    triple_events[i], count[3 * i], count[3 * i + 1], count[3 * i + 2]);
        }
    }
    memcpy(before, count, 2 * sizeof(*before));
}

static void *thread_run(void *argument)
{
    int seed = (int)(intptr_t)argument;
    int leader_fd = group_open();
    uint64_t before[2] = {0, 0};

    for (int round = 0; round < rounds; round++) {
        ioctl(leader_fd, PERF_EVENT_IOC_ENABLE, 0);
        work(round + seed);
        if (round % 2 == 1) {
            ioctl(leader_fd, PERF_EVENT_IOC_DISABLE, 0);
        }
        reading_check(leader_fd, before);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[16];
    int thread_nr;

    if (argc != 4) {
        fprintf(stderr, "usage: group TRIPLES THREADS ROUNDS\n");
        return 2;
    }
    triples = atoi(argv[1]);
    thread_nr = atoi(argv[2]);
    rounds = atoi(argv[3]);
    if (triples < 1 || triples > TRIPLES_MAX || thread_nr < 1 || thread_nr > 16) {
        return 2;
    }
    for (int i = 0; i < thread_nr; i++) {
        if (pthread_create(&threads[i], NULL, thread_run, (void *)(intptr_t)i) != 0) {
            return 2;
        }
    }
    for (int i = 0; i < thread_nr; i++) {
        pthread_join(threads[i], NULL);
    }
    printf("readings %d\nwrong %d\nmultiplexed %d\nstanding %d\n", readings, wrong, multiplexed,
           standing);
    return 0;
}
