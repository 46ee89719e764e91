// SPDX-License-Identifier: GPL-2.0-only
/* The part of `opens` about single events, opened as root: tables of attempts. */
#define _GNU_SOURCE
#include "opens.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
/* Not in use on any machine of tests: a thread, a CPU, a type of PMU, a file descriptor. */
#define NO_PID 4194303
#define NO_CPU 1000
#define NO_TYPE 999
#define NO_FD 99
#define REG_AX 1
#define REG_XMM0 (1ULL << 32) /* Linux arch/x86/include/uapi/asm/perf_regs.h */
#define PERIOD .sample_period = 1000000
#define FREQUENCY .freq = 1, .sample_freq = 100

static const struct attempt events[] = {
    OWN("hardware cycles", HARDWARE(CPU_CYCLES)),
    OWN("hardware instructions", INSTRUCTIONS),
    OWN("hardware cache-references", HARDWARE(CACHE_REFERENCES)),
    OWN("hardware cache-misses", HARDWARE(CACHE_MISSES)),
    OWN("hardware branches", HARDWARE(BRANCH_INSTRUCTIONS)),
    OWN("hardware branch-misses", HARDWARE(BRANCH_MISSES)),
    OWN("hardware bus-cycles", HARDWARE(BUS_CYCLES)),
    OWN("hardware stalled-cycles-frontend", HARDWARE(STALLED_CYCLES_FRONTEND)),
    OWN("hardware stalled-cycles-backend", HARDWARE(STALLED_CYCLES_BACKEND)),
    OWN("hardware ref-cycles", HARDWARE(REF_CPU_CYCLES)),
    OWN("hardware event 10", .type = PERF_TYPE_HARDWARE, .config = 10),
    OWN("hardware event 255", .type = PERF_TYPE_HARDWARE, .config = 255),
    OWN("hardware instructions of type 4", .type = PERF_TYPE_HARDWARE, .config = 4ULL << 32 | 1),
    OWN("hardware instructions of no type", .type = PERF_TYPE_HARDWARE,
        .config = (uint64_t)NO_TYPE << 32 | 1),
    OWN("cache of number 7", .type = PERF_TYPE_HW_CACHE, .config = 7),
    OWN("cache operation 3", .type = PERF_TYPE_HW_CACHE, .config = 0x300),
    OWN("cache result 2", .type = PERF_TYPE_HW_CACHE, .config = 0x20000),
    OWN("cache bits above", .type = PERF_TYPE_HW_CACHE, .config = 0x1010000),
    OWN("cache all ones", .type = PERF_TYPE_HW_CACHE, .config = 0xffffffff),
    OWN("raw c0", RAW(0xc0)),
    OWN("raw 0", RAW(0)),
    OWN("raw of an umask", RAW(0xff60)),
    OWN("raw of cmask, inv, edge", RAW(0x18400c0)),
    OWN("raw of twelve bits", RAW(0xf000000c0)),
    OWN("raw of no such event", RAW(0xf000000fe)),
    OWN("raw of a north bridge event", RAW(0x7e0)),
    OWN("raw FLOPs", RAW(0xff03)),
    OWN("raw with EN, USR, OS, INT", RAW(0x5300c0)),
    OWN("raw as rr asks", RAW(0x5100d1), .exclude_kernel = 1, .exclude_guest = 1),
    OWN("raw with OS only", RAW(0x4200c0)),
    OWN("raw with GuestOnly", RAW(0x100000000c0)),
    OWN("raw with HostOnly", RAW(0x200000000c0)),
    OWN("raw with reserved bit 19", RAW(0x800c0)),
    OWN("raw with bit 63", RAW(1ULL << 63 | 0xc0)),
    OWN("raw all ones", RAW(UINT64_MAX)),
    OWN("raw, config1", RAW(0xc0), .config1 = 1),
    OWN("raw, config2", RAW(0xc0), .config2 = 1),
    OWN("hardware, config1", INSTRUCTIONS, .config1 = 1),
    OWN("no such type", .type = NO_TYPE),
    OWN("software", SOFTWARE(TASK_CLOCK)),
    OWN("no such software event", .type = PERF_TYPE_SOFTWARE, .config = 100),
};

static const struct attempt modes[] = {
    OWN("exclude_user", INSTRUCTIONS, .exclude_user = 1),
    OWN("exclude_kernel", INSTRUCTIONS, .exclude_kernel = 1),
    OWN("exclude_user and kernel", INSTRUCTIONS, .exclude_user = 1, .exclude_kernel = 1),
    OWN("exclude_hv", INSTRUCTIONS, .exclude_hv = 1),
    OWN("exclude_idle", INSTRUCTIONS, .exclude_idle = 1),
    OWN("exclude_guest", INSTRUCTIONS, .exclude_guest = 1),
    OWN("exclude_host", INSTRUCTIONS, .exclude_host = 1),
    OWN("exclude_host and kernel", INSTRUCTIONS, .exclude_host = 1, .exclude_kernel = 1),
    OWN("exclude_host, raw", RAW(0xc0), .exclude_host = 1),
    OWN("exclude_host and guest", INSTRUCTIONS, .exclude_host = 1, .exclude_guest = 1),
    OWN("exclude everything", INSTRUCTIONS, .exclude_user = 1, .exclude_kernel = 1, .exclude_hv = 1,
        .exclude_idle = 1, .exclude_host = 1, .exclude_guest = 1, .exclude_callchain_kernel = 1,
        .exclude_callchain_user = 1),
    OWN("precise_ip 1", HARDWARE(CPU_CYCLES), .precise_ip = 1),
    OWN("precise_ip 2", HARDWARE(CPU_CYCLES), .precise_ip = 2),
    OWN("precise_ip 3", HARDWARE(CPU_CYCLES), .precise_ip = 3),
    OWN("precise_ip 1, raw, sampling", RAW(0x76), .precise_ip = 1, PERIOD),
    OWN("precise_ip 2, no such event", .type = PERF_TYPE_HARDWARE, .config = 10, .precise_ip = 2),
    OWN("pinned", INSTRUCTIONS, .pinned = 1),
    OWN("exclusive", INSTRUCTIONS, .exclusive = 1),
    OWN("disabled", INSTRUCTIONS, .disabled = 1),
    OWN("enable_on_exec", INSTRUCTIONS, .disabled = 1, .enable_on_exec = 1),
    OWN("remove_on_exec", INSTRUCTIONS, .remove_on_exec = 1),
    OWN("remove_on_exec and enable_on_exec", INSTRUCTIONS, .remove_on_exec = 1,
        .enable_on_exec = 1),
    OWN("sigtrap", INSTRUCTIONS, .remove_on_exec = 1, .sigtrap = 1),
    OWN("sigtrap alone", INSTRUCTIONS, .sigtrap = 1),
    OWN("inherit", INSTRUCTIONS, .inherit = 1),
    OWN("inherit_stat", INSTRUCTIONS, .inherit = 1, .inherit_stat = 1),
    OWN("inherit_thread", INSTRUCTIONS, .inherit = 1, .inherit_thread = 1),
    OWN("inherit_thread alone", INSTRUCTIONS, .inherit_thread = 1),
    OWN("inherit, read as group", INSTRUCTIONS, .inherit = 1, .read_format = PERF_FORMAT_GROUP),
    OWN("mmap, comm, task records", INSTRUCTIONS, .mmap = 1, .mmap2 = 1, .comm = 1, .task = 1),
    OWN("watermark", INSTRUCTIONS, .watermark = 1, .wakeup_watermark = 1),
    OWN("wakeup_events", INSTRUCTIONS, .wakeup_events = 1),
    OWN("write_backward", INSTRUCTIONS, .write_backward = 1),
    OWN("clock monotonic", INSTRUCTIONS, .use_clockid = 1, .clockid = 1),
    OWN("clock of no number", INSTRUCTIONS, .use_clockid = 1, .clockid = 77),
    OWN("aux_output", INSTRUCTIONS, .aux_output = 1),
    OWN("aux_watermark", INSTRUCTIONS, .aux_watermark = 1),
    OWN("branch_stack", HARDWARE(CPU_CYCLES), .sample_type = PERF_SAMPLE_BRANCH_STACK,
        .branch_sample_type = PERF_SAMPLE_BRANCH_ANY),
    OWN("branch_stack, sampling", HARDWARE(CPU_CYCLES), PERIOD,
        .sample_type = PERF_SAMPLE_BRANCH_STACK, .branch_sample_type = PERF_SAMPLE_BRANCH_ANY),
    OWN("branch_stack, raw, sampling", RAW(0x76), PERIOD, .sample_type = PERF_SAMPLE_BRANCH_STACK,
        .branch_sample_type = PERF_SAMPLE_BRANCH_ANY),
    OWN("branch_stack of no branches", HARDWARE(CPU_CYCLES),
        .sample_type = PERF_SAMPLE_BRANCH_STACK),
};

static const struct attempt samples[] = {
    OWN("sampling hardware, period", INSTRUCTIONS, PERIOD),
    OWN("sampling hardware, period 1", INSTRUCTIONS, .sample_period = 1),
    OWN("sampling hardware, frequency", INSTRUCTIONS, FREQUENCY),
    OWN("sampling cache, period", CACHE_L1D_MISS, PERIOD),
    OWN("sampling cache, frequency", CACHE_L1D_MISS, FREQUENCY),
    OWN("sampling raw, period", RAW(0xc0), PERIOD),
    OWN("sampling raw, frequency", RAW(0xc0), FREQUENCY),
    OWN("sampling no such hardware event", .type = PERF_TYPE_HARDWARE, .config = 10, PERIOD),
    OWN("sampling no such cache", .type = PERF_TYPE_HW_CACHE, .config = 7, PERIOD),
    OWN("sampling an impossible cache event", .type = PERF_TYPE_HW_CACHE, .config = 0x104, PERIOD),
    OWN("sampling software", SOFTWARE(CPU_CLOCK), PERIOD),
    OWN("frequency over the limit", INSTRUCTIONS, .freq = 1, .sample_freq = 1000000000),
    OWN("frequency 0", INSTRUCTIONS, .freq = 1),
    OWN("period of bit 63", INSTRUCTIONS, .sample_period = 1ULL << 63),
    OWN("every kind of sample", INSTRUCTIONS, .sample_type = 0x1f7),
    OWN("sampling every kind of sample", INSTRUCTIONS, .sample_type = 0x1f7, PERIOD),
    OWN("sample of data source", INSTRUCTIONS, .sample_type = PERF_SAMPLE_DATA_SRC),
    OWN("sample of weight", INSTRUCTIONS, .sample_type = PERF_SAMPLE_WEIGHT),
    OWN("sample of two weights", INSTRUCTIONS,
        .sample_type = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT),
    OWN("sample of aux", INSTRUCTIONS, .sample_type = PERF_SAMPLE_AUX, .aux_sample_size = 4096),
    OWN("sample of a kind not there", INSTRUCTIONS, .sample_type = 1ULL << 40),
    OWN("regs_user", INSTRUCTIONS, .sample_type = PERF_SAMPLE_REGS_USER,
        .sample_regs_user = REG_AX),
    OWN("regs_user, sampling", INSTRUCTIONS, PERIOD, .sample_type = PERF_SAMPLE_REGS_USER,
        .sample_regs_user = REG_AX),
    OWN("regs_user of none", INSTRUCTIONS, .sample_type = PERF_SAMPLE_REGS_USER),
    OWN("regs_user not there", INSTRUCTIONS, .sample_type = PERF_SAMPLE_REGS_USER,
        .sample_regs_user = 1ULL << 30),
    OWN("regs_user XMM", INSTRUCTIONS, .sample_type = PERF_SAMPLE_REGS_USER,
        .sample_regs_user = REG_XMM0),
    OWN("regs_intr XMM", INSTRUCTIONS, .sample_type = PERF_SAMPLE_REGS_INTR,
        .sample_regs_intr = REG_XMM0),
    OWN("regs_intr XMM, no such event", .type = PERF_TYPE_HARDWARE, .config = 6,
        .sample_type = PERF_SAMPLE_REGS_INTR, .sample_regs_intr = REG_XMM0),
    OWN("regs_intr XMM, exclude_host", INSTRUCTIONS, .exclude_host = 1,
        .sample_type = PERF_SAMPLE_REGS_INTR, .sample_regs_intr = REG_XMM0),
    OWN("stack_user", INSTRUCTIONS, .sample_type = PERF_SAMPLE_STACK_USER,
        .sample_stack_user = 4096),
    OWN("stack_user of 4 bytes", INSTRUCTIONS, .sample_type = PERF_SAMPLE_STACK_USER,
        .sample_stack_user = 4),
    OWN("callchain", INSTRUCTIONS, .sample_type = PERF_SAMPLE_CALLCHAIN),
    OWN("callchain too deep", INSTRUCTIONS, .sample_type = PERF_SAMPLE_CALLCHAIN,
        .sample_max_stack = 1000),
};

static const struct attempt forms[] = {
    OWN("attr of 64 bytes", INSTRUCTIONS, .size = PERF_ATTR_SIZE_VER0),
    OWN("attr of 63 bytes", INSTRUCTIONS, .size = 63),
    OWN("attr of 72 bytes", INSTRUCTIONS, .size = PERF_ATTR_SIZE_VER1),
    OWN("attr of 136 bytes", INSTRUCTIONS, .size = 136),
    {.name = "attr of 136 bytes, new bits",
     .cpu = -1,
     .group_fd = -1,
     .tail = 8,
     .attr = {INSTRUCTIONS, .size = 136}},
    OWN("attr of two pages", INSTRUCTIONS, .size = 2 * 4096),
    OWN("attr, reserved bits", INSTRUCTIONS, .__reserved_1 = 1),
    OWN("attr, reserved word 2", INSTRUCTIONS, .__reserved_2 = 1),
    OWN("attr, reserved word 3", INSTRUCTIONS, .__reserved_3 = 1),
    OWN("read_format of all", INSTRUCTIONS, .read_format = 0x1f),
    OWN("read_format not there", INSTRUCTIONS, .read_format = 1 << 20),
    PLACED("any CPU of all threads", -1, -1, INSTRUCTIONS),
    PLACED("CPU 0", -1, 0, INSTRUCTIONS),
    PLACED("CPU 1", -1, 1, INSTRUCTIONS),
    PLACED("CPU 1, raw, kernel", -1, 1, RAW(0xc0), .exclude_user = 1),
    PLACED("CPU 1, exclude_idle", -1, 1, INSTRUCTIONS, .exclude_idle = 1),
    PLACED("CPU 0, inherit", -1, 0, INSTRUCTIONS, .inherit = 1),
    PLACED("CPU 0, enable_on_exec", -1, 0, INSTRUCTIONS, .disabled = 1, .enable_on_exec = 1),
    PLACED("CPU 0, sampling", -1, 0, INSTRUCTIONS, PERIOD),
    PLACED("thread 0 on CPU 0", 0, 0, INSTRUCTIONS),
    PLACED("thread 0 on CPU 1", 0, 1, INSTRUCTIONS),
    PLACED("thread 1", 1, -1, INSTRUCTIONS),
    PLACED("thread not there", NO_PID, -1, INSTRUCTIONS),
    PLACED("thread -2", -2, -1, INSTRUCTIONS),
    PLACED("CPU not there", -1, NO_CPU, INSTRUCTIONS),
    PLACED("thread 0 on a CPU not there", 0, NO_CPU, INSTRUCTIONS),
    PLACED("CPU -2", 0, -2, INSTRUCTIONS),
};

/* Flags and group_fd: 2 is a file, but no event. */
static const struct attempt flags[] = {
    {"flag FD_CLOEXEC", {INSTRUCTIONS}, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0},
    {"flag FD_NO_GROUP", {INSTRUCTIONS}, 0, -1, -1, PERF_FLAG_FD_NO_GROUP, 0},
    {"flag FD_OUTPUT", {INSTRUCTIONS}, 0, -1, -1, PERF_FLAG_FD_OUTPUT, 0},
    {"flag FD_OUTPUT of a bad fd", {INSTRUCTIONS}, 0, -1, NO_FD, PERF_FLAG_FD_OUTPUT, 0},
    {"flag not there", {INSTRUCTIONS}, 0, -1, -1, 1UL << 20, 0},
    {"flag PID_CGROUP, bad fd", {INSTRUCTIONS}, NO_FD, 0, -1, PERF_FLAG_PID_CGROUP, 0},
    {"flag PID_CGROUP, no cgroup", {INSTRUCTIONS}, 2, 0, -1, PERF_FLAG_PID_CGROUP, 0},
    {"flag PID_CGROUP, any CPU", {INSTRUCTIONS}, 2, -1, -1, PERF_FLAG_PID_CGROUP, 0},
    {"group of a bad fd", {INSTRUCTIONS}, 0, -1, NO_FD, 0, 0},
    {"group of no event", {INSTRUCTIONS}, 0, -1, 2, 0, 0},
};

static void caches_run(void)
{
    static const char *const caches[] = {"L1D", "L1I", "LL", "DTLB", "ITLB", "BPU", "NODE"};
    static const char *const ops[] = {"read", "write", "prefetch"};
    static const char *const results[] = {"access", "miss"};
    char name[64];

    for (unsigned int i = 0; i < 7 * 3 * 2; i++) {
        unsigned int cache = i / 6, op = i / 2 % 3, result = i % 2;
        struct attempt attempt =
            OWN(name, .type = PERF_TYPE_HW_CACHE, .config = cache | op << 8 | result << 16);

        snprintf(name, sizeof(name), "cache %s %s %s", caches[cache], ops[op], results[result]);
        attempts_run("", &attempt, 1);
    }
}

/* The type in sysfs is what perf and libpfm4 take for cpu/.../. */
static void sysfs_type_run(void)
{
    FILE *file = fopen("/sys/bus/event_source/devices/cpu/type", "r");
    struct attempt attempt = OWN("raw c0 of the type in sysfs", RAW(0xc0));
    unsigned int type;

    if (file == NULL || fscanf(file, "%u", &type) != 1) {
        row(attempt.name, "no type");
    } else {
        attempt.attr.type = type;
        attempts_run("", &attempt, 1);
        row("type in sysfs", type == PERF_TYPE_RAW ? "4" : "not 4");
    }
    if (file != NULL) {
        fclose(file);
    }
}

static void fault_run(void)
{
    long rc = syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0);

    row("no attr", errno_name(rc < 0 ? -errno : rc));
}

void singles_run(void)
{
    part("events");
    attempts_run("", events, ARRAY_SIZE(events));
    sysfs_type_run();
    part("cache events");
    caches_run();
    part("modes");
    attempts_run("", modes, ARRAY_SIZE(modes));
    part("samples");
    attempts_run("", samples, ARRAY_SIZE(samples));
    part("forms");
    attempts_run("", forms, ARRAY_SIZE(forms));
    part("flags");
    attempts_run("", flags, ARRAY_SIZE(flags));
    fault_run();
}
