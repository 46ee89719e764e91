// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of a PMU: its registers, and through perf_event_open(2) the filters of a selector, exact
 * overflow, exact sampling, and who may use rdpmc. What is expected of a count is arithmetic on the
 * stretch between two ioctls.
 *
 * Prints result lines (tap.h).
 * Usage: pmu NAME, one of registers, filters, overflow, sampling, rdpmc.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include "event.h"
#include "tap.h"

#define PAGE_BYTES 4096ul
#define RING_PAGES 64ul

/* AMD APM vol. 2, "Performance Event-Select Registers": bits of PerfEvtSel */
#define EVTSEL_EDGE (1ull << 18)
#define EVTSEL_INV (1ull << 23)
#define EVTSEL_CMASK(n) ((uint64_t)(n) << 24)
#define EVENT_INSTRUCTIONS 0xc0ull
#define EVENT_CYCLES 0x76ull

/*
 * Between the enabling and the disabling ioctl: one move, `n` rounds of dec and jnz, and the four
 * moves and the call that disable: 6 + 2n instructions, n branches of which n - 1 are taken.
 */
#define STRETCH_INSNS(n) (6 + 2 * (n))
#define STRETCH_BRANCHES(n) (n)

static void stretch_run(int fd, uint64_t n)
{
    long result = SYS_ioctl;
    long file = fd;
    long request = PERF_EVENT_IOC_ENABLE;
    long argument = 0;

    __asm__ volatile(
        "syscall\n\t"
        "mov %[n], %%r8\n"
        "1: dec %%r8\n\t"
        "jnz 1b\n\t"
        "mov %[ioctl], %%eax\n\t"
        "mov %[fd], %%edi\n\t"
        "mov %[disable], %%esi\n\t"
        "xor %%edx, %%edx\n\t"
        "syscall"
        : "+a"(result), "+D"(file), "+S"(request), "+d"(argument)
        : [n] "r"(n), [fd] "m"(fd), [ioctl] "i"(SYS_ioctl), [disable] "i"(PERF_EVENT_IOC_DISABLE)
        : "rcx", "r11", "r8", "memory", "cc");
}

/* Opens a disabled event of the calling thread; ends with an error line if it cannot. */
static int counter_open(const char *text, uint64_t period)
{
    struct perf_event_attr attr;
    int fd;

    event_parse(text, &attr);
    attr.disabled = 1;
    attr.pinned = 1;
    if (period != 0) {
        attr.sample_period = period;
        attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
        attr.wakeup_events = 1;
    }
    fd = event_open(&attr, 0, -1);
    if (fd < 0) {
        tap_error(text, strerror(-fd));
        exit(2);
    }
    return fd;
}

static uint64_t counter_read(int fd)
{
    uint64_t count = UINT64_MAX;

    if (read(fd, &count, sizeof(count)) != sizeof(count)) {
        tap_error("read of an event", "not on a counter");
        exit(2);
    }
    return count;
}

static uint64_t selector_count(uint64_t selector, uint64_t n)
{
    char text[32];
    uint64_t count;
    int fd;

    snprintf(text, sizeof(text), "r%llx:u", (unsigned long long)selector);
    fd = counter_open(text, 0);
    stretch_run(fd, n);
    count = counter_read(fd);
    close(fd);
    return count;
}

/*
 * The machine retires one instruction at a time (machine/README.md), so a threshold of 1 counts
 * the instructions, a threshold of 2 nothing, and the inverted threshold the other cycles.
 */
static void filters_test(void)
{
    const uint64_t n = 100000;
    uint64_t insn = EVENT_INSTRUCTIONS;
    uint64_t cycles = selector_count(EVENT_CYCLES, n);
    uint64_t below_1 = selector_count(insn | EVTSEL_INV | EVTSEL_CMASK(1), n);

    tap_equal("selector: no threshold", selector_count(insn, n), STRETCH_INSNS(n));
    tap_equal("selector: CMASK 1", selector_count(insn | EVTSEL_CMASK(1), n), STRETCH_INSNS(n));
    tap_equal("selector: CMASK 2", selector_count(insn | EVTSEL_CMASK(2), n), 0);
    tap_equal("selector: CMASK 1 and its inverse are all cycles", below_1 + STRETCH_INSNS(n),
              cycles);
    tap_equal("selector: INV CMASK 2 is every cycle",
              selector_count(insn | EVTSEL_INV | EVTSEL_CMASK(2), n), cycles);
    tap_equal("selector: EDGE, each instruction is one",
              selector_count(insn | EVTSEL_EDGE | EVTSEL_CMASK(1), n), STRETCH_INSNS(n));
    tap_equal("selector: EDGE of what never is",
              selector_count(insn | EVTSEL_EDGE | EVTSEL_CMASK(2), n), 0);
    tap_equal("selector: EDGE of what always is", selector_count(EVENT_CYCLES | EVTSEL_EDGE, n), 0);
}

static uint64_t msr_read(int fd, uint32_t msr)
{
    uint64_t value = 0;

    if (pread(fd, &value, sizeof(value), msr) != sizeof(value)) {
        tap_error("msr(4)", strerror(errno));
        exit(0);
    }
    return value;
}

static void msr_write(int fd, uint32_t msr, uint64_t value)
{
    if (pwrite(fd, &value, sizeof(value), msr) != sizeof(value)) {
        tap_error("msr(4)", strerror(errno));
        exit(0);
    }
}

/*
 * AMD APM vol. 2, "Core Performance-Monitoring Counters": 48 bits; bits 19, 21, 39:36 and 63:42 of
 * a selector are reserved; the first four counters are also at the old addresses. Counter 3: Linux
 * keeps counter 0 for its watchdog and the others free.
 */
static void registers_test(void)
{
    const uint32_t ctl = 0xc0010206;
    const uint32_t ctr = 0xc0010207;
    const uint32_t old_ctl = 0xc0010003;
    const uint32_t old_ctr = 0xc0010007;
    const uint64_t enable = 1ull << 22;
    const uint64_t reserved = 1ull << 19 | 1ull << 21 | 0xfull << 36 | ~0ull << 42;
    int fd = open("/dev/cpu/0/msr", O_RDWR | O_CLOEXEC);

    if (fd < 0) {
        tap_error("/dev/cpu/0/msr", strerror(errno));
        return;
    }
    msr_write(fd, ctl, ~enable);
    tap_equal("registers: reserved bits of a selector", msr_read(fd, ctl), ~enable & ~reserved);
    tap_equal("registers: old address of a selector", msr_read(fd, old_ctl), ~enable & ~reserved);
    msr_write(fd, old_ctl, 0);
    tap_equal("registers: selector written at the old address", msr_read(fd, ctl), 0);
    msr_write(fd, ctr, ~0ull);
    tap_equal("registers: a counter has 48 bits", msr_read(fd, ctr), (1ull << 48) - 1);
    msr_write(fd, old_ctr, 0x123456789abcull);
    tap_equal("registers: counter written at the old address", msr_read(fd, ctr),
              0x123456789abcull);
    msr_write(fd, ctr, 0);
    close(fd);
}

/* Overflow signals go to this blocked queue: a handler would itself be counted. */
static void signals_queue(int fd, sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, set, NULL);
    fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK);
    fcntl(fd, F_SETSIG, SIGRTMIN);
    fcntl(fd, F_SETOWN, getpid());
}

static uint64_t signals_drain(const sigset_t *set)
{
    const struct timespec none = {0, 0};
    uint64_t nr = 0;

    while (sigtimedwait(set, NULL, &none) > 0) {
        nr++;
    }
    return nr;
}

/*
 * An overflow is neither lost nor early nor late, and does not disturb the count. Linux makes a
 * period of 1 into 2 (arch/x86/events/core.c, x86_perf_event_set_period).
 */
static void overflow_test(void)
{
    static const struct {
        uint64_t period;
        uint64_t n;
        uint64_t signals; /* STRETCH_BRANCHES(n) / period */
    } rows[] = {
        {499, 500, 1}, {500, 500, 1}, {501, 500, 0}, {499, 998, 2}, {100, 1000, 10}, {2, 20, 10},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char name[96];
        sigset_t set;
        int fd = counter_open("branches:u", rows[i].period);

        signals_queue(fd, &set);
        stretch_run(fd, rows[i].n);
        snprintf(name, sizeof(name), "overflow: count of %" PRIu64 " branches, period %" PRIu64,
                 rows[i].n, rows[i].period);
        tap_equal(name, counter_read(fd), STRETCH_BRANCHES(rows[i].n));
        snprintf(name, sizeof(name), "overflow: signals in %" PRIu64 " branches, period %" PRIu64,
                 rows[i].n, rows[i].period);
        tap_equal(name, signals_drain(&set), rows[i].signals);
        close(fd);
    }
}

static void samples_count(const char *ring, uint64_t head, uint64_t *samples, uint64_t *others)
{
    uint64_t tail = 0;

    *samples = 0;
    *others = 0;
    while (tail < head) {
        const struct perf_event_header *header =
            (const void *)(ring + PAGE_BYTES + tail % (RING_PAGES * PAGE_BYTES));

        if (header->type == PERF_RECORD_SAMPLE) {
            (*samples)++;
        } else {
            (*others)++;
        }
        tail += header->size;
    }
}

static void sampling_test(void)
{
    const uint64_t n = 5000000;
    const uint64_t period = 100000;
    int fd = counter_open("instructions:u", period);
    char *ring =
        mmap(NULL, (1 + RING_PAGES) * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    uint64_t samples;
    uint64_t others;

    if (ring == MAP_FAILED) {
        tap_error("sampling: mmap of the ring", strerror(errno));
        return;
    }
    stretch_run(fd, n);
    samples_count(ring, ((struct perf_event_mmap_page *)(void *)ring)->data_head, &samples,
                  &others);
    tap_equal("sampling: count", counter_read(fd), STRETCH_INSNS(n));
    tap_equal("sampling: samples", samples, STRETCH_INSNS(n) / period);
    tap_equal("sampling: lost, throttled and other records", others, 0);
}

#define RDPMC_FAULTS 1

/* A death of SIGSEGV would stand in the kernel's log as trouble. */
static void on_segv(int signal_number)
{
    (void)signal_number;
    _exit(RDPMC_FAULTS);
}

/* In a child: 0 or RDPMC_FAULTS. Maps an event of its own if `map`. */
static uint64_t rdpmc_try(uint32_t index, bool map)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        uint32_t low;
        uint32_t high;

        signal(SIGSEGV, on_segv);
        if (map) {
            int fd = counter_open("instructions:u", 0);

            mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
            ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
        }
        __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
        _exit(0);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? (uint64_t)WEXITSTATUS(status) : UINT64_MAX;
}

static bool rdpmc_rule_set(const char *rule)
{
    int fd = open("/sys/bus/event_source/devices/cpu/rdpmc", O_WRONLY);
    bool done = fd >= 0 && write(fd, rule, strlen(rule)) == (ssize_t)strlen(rule);

    close(fd);
    return done;
}

/*
 * Linux, arch/x86/events/core.c, set_attr_rdpmc: 0 nobody, 1 threads with a mapped event, 2
 * everybody. An index beyond the counters is #GP (AMD APM vol. 3, RDPMC): cores with
 * PerfCtrExtCore have 0 to 5, and 6 to 15 stand for counters that this machine does not have.
 */
static void rdpmc_test(void)
{
    static const struct {
        const char *rule;
        uint32_t index;
        bool map;
        uint64_t want;
    } rows[] = {
        {"0", 0, false, RDPMC_FAULTS},
        {"0", 0, true, RDPMC_FAULTS},
        {"1", 0, false, RDPMC_FAULTS},
        {"1", 0, true, 0},
        {"1", 5, true, 0},
        {"1", 6, true, RDPMC_FAULTS},
        {"2", 0, false, 0},
        {"2", 5, false, 0},
        {"2", 6, false, RDPMC_FAULTS},
        {"2", 0x40000000, false, RDPMC_FAULTS},
        {"1", 0, false, RDPMC_FAULTS},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char name[96];

        snprintf(name, sizeof(name), "rdpmc: rule %s, index %#x, %s mapped event", rows[i].rule,
                 rows[i].index, rows[i].map ? "with" : "without");
        if (!rdpmc_rule_set(rows[i].rule)) {
            tap_error(name, "cannot write sysfs rdpmc");
            continue;
        }
        tap_equal(name, rdpmc_try(rows[i].index, rows[i].map), rows[i].want);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {
        {"registers", registers_test}, {"filters", filters_test}, {"overflow", overflow_test},
        {"sampling", sampling_test},   {"rdpmc", rdpmc_test},
    };

    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        if (argc == 2 && strcmp(argv[1], tests[i].name) == 0) {
            tests[i].run();
            return 0;
        }
    }
    fprintf(stderr, "usage: pmu registers|filters|overflow|sampling|rdpmc\n");
    return 2;
}
