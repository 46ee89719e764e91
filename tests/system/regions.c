// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts user instructions of regions between two ioctls of the program itself.
 *
 * The regions and their constructed counts stand in region_bodies.S. Usage:
 *   regions --expect ROUNDS   prints what is expected and opens no counter
 *   regions ROUNDS            prints what instructions:u counted
 *   regions --group ROUNDS    counts :u, :k and unfiltered in one group
 * Lines: REGION n count, or REGION n user sum-difference with --group, where sum-difference is
 * user + kernel - all.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/io.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include "event.h"

/* As region_bodies.S lays the table out; ends with a name of NULL. */
struct region {
    const char *name;
    void (*run)(int fd, uint64_t n, void *pages, pid_t pid);
    uint64_t a;
    uint64_t b;
    uint64_t n_max;
};

extern const struct region regions[];
extern void region_on_trap(void);
extern void region_on_skip2(void);
extern void region_on_repair(void);
extern void restorer(void);

/* Linux arch/x86/include/uapi/asm/signal.h, struct sigaction */
struct kernel_sigaction {
    void (*handler)(void);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
};

#define SA_RESTORER_BIT 0x04000000ul
#define PAGES_BYTES (64 * 4096ul)

static const uint64_t region_ns[] = {1, 2, 10, 64, 1000, 1000000, 30000000};

static enum { MODE_COUNT, MODE_EXPECT, MODE_GROUP } mode = MODE_COUNT;

static void fail(const char *what)
{
    perror(what);
    exit(2);
}

/* A handler of known length with a restorer of known length, which sigaction(3) would not allow. */
static void handler_install(int number, void (*handler)(void))
{
    struct kernel_sigaction action = {
        .handler = handler,
        .flags = SA_SIGINFO | SA_NODEFER | SA_RESTORER_BIT,
        .restorer = restorer,
    };

    if (syscall(SYS_rt_sigaction, number, &action, NULL, sizeof(action.mask)) != 0) {
        fail("rt_sigaction");
    }
}

static int counter_open(const char *text, int leader_fd)
{
    struct perf_event_attr attr;
    int fd;

    event_parse(text, &attr);
    attr.disabled = leader_fd < 0;
    attr.pinned = leader_fd < 0;
    attr.read_format = mode == MODE_GROUP ? PERF_FORMAT_GROUP : 0;
    fd = event_open(&attr, 0, leader_fd);
    if (fd < 0) {
        errno = -fd;
        fail(text);
    }
    return fd;
}

static void region_count(const struct region *region, uint64_t n, int fd)
{
    uint64_t values[4] = {0};
    size_t values_size = mode == MODE_GROUP ? sizeof(values) : sizeof(values[0]);
    void (*on_segv)(void) =
        strcmp(region->name, "sigbus_repaired") == 0 ? region_on_repair : region_on_skip2;
    char *pages;

    pages = mmap(NULL, PAGES_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        fail("mmap");
    }
    handler_install(SIGSEGV, on_segv);
    ioctl(fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
    region->run(fd, n, pages, getpid());
    if (read(fd, values, values_size) != (ssize_t)values_size) {
        fail("read of the event");
    }
    if (mode == MODE_GROUP) {
        printf("%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRId64 "\n", region->name, n, values[1],
               (int64_t)(values[1] + values[2] - values[3]));
    } else {
        printf("%s\t%" PRIu64 "\t%" PRIu64 "\n", region->name, n, values[0]);
    }
    munmap(pages, PAGES_BYTES);
}

static void rounds_run(int rounds, int fd)
{
    for (int round = 0; round < rounds; round++) {
        for (const struct region *region = regions; region->name != NULL; region++) {
            for (size_t i = 0; i < sizeof(region_ns) / sizeof(region_ns[0]); i++) {
                uint64_t n = region_ns[i];

                if (n > region->n_max) {
                    continue;
                }
                if (mode == MODE_EXPECT) {
                    printf("%s\t%" PRIu64 "\t%" PRIu64 "\n", region->name, n,
                           region->a + region->b * n);
                } else {
                    region_count(region, n, fd);
                }
            }
        }
    }
}

int main(int argc, char **argv)
{
    int fd = -1;

    if (argc == 3 && strcmp(argv[1], "--expect") == 0) {
        mode = MODE_EXPECT;
    } else if (argc == 3 && strcmp(argv[1], "--group") == 0) {
        mode = MODE_GROUP;
    } else if (argc != 2) {
        fprintf(stderr, "usage: regions [--expect | --group] ROUNDS\n");
        return 2;
    }
    if (mode != MODE_EXPECT) {
        if (iopl(3) != 0) {
            fail("iopl");
        }
        handler_install(SIGTRAP, region_on_trap);
        handler_install(SIGUSR1, region_on_trap);
        handler_install(SIGFPE, region_on_skip2);
        fd = counter_open("instructions:u", -1);
    }
    if (mode == MODE_GROUP) {
        counter_open("instructions:k", fd);
        counter_open("instructions", fd);
    }
    rounds_run(atoi(argv[argc - 1]), fd);
    return 0;
}
