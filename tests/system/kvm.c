// SPDX-License-Identifier: GPL-2.0-only
/*
 * GuestOnly and HostOnly: counts of a virtual machine whose code is a loop of known length, and of
 * the known few instructions around running it, each free of the other side's.
 *
 * Needs /dev/kvm (kvm-amd on the machine's SVM). Prints result lines (tap.h).
 * AMD APM vol. 2, "Performance Event-Select Registers": HG_ONLY.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/kvm.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include "event.h"
#include "tap.h"

#define GUEST_ADDRESS 0x1000ul
#define GUEST_BYTES 0x10000ul
#define GUEST_ROUNDS 1000000ul

/* Real mode; hlt is intercepted: it does not retire. On the second run the jump comes first. */
static const uint8_t guest_code[] = {
    0x66, 0xb9, 0x40, 0x42, 0x0f, 0x00, /* mov $1000000, %ecx */
    0x66, 0x49,                         /* dec %ecx           */
    0x75, 0xfc,                         /* jnz, back to dec   */
    0xf4,                               /* hlt                */
    0xeb, 0xf3,                         /* jmp to the start   */
};
#define GUEST_INSNS_FIRST (1 + 2 * GUEST_ROUNDS)
#define GUEST_INSNS_NEXT (1 + GUEST_INSNS_FIRST)

/* Between the two ioctls on the event: four moves and a call, to run and to disable. */
#define HOST_INSNS 10

static void fail(const char *what)
{
    tap_error(what, strerror(errno));
    exit(0);
}

static int vcpu_create(void)
{
    int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
    int vm = ioctl(kvm, KVM_CREATE_VM, 0);
    void *memory =
        mmap(NULL, GUEST_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct kvm_userspace_memory_region region = {
        .guest_phys_addr = GUEST_ADDRESS,
        .memory_size = GUEST_BYTES,
        .userspace_addr = (uintptr_t)memory,
    };
    struct kvm_regs registers = {.rip = GUEST_ADDRESS, .rflags = 2};
    struct kvm_sregs segments;
    int vcpu;

    if (kvm < 0 || vm < 0 || memory == MAP_FAILED) {
        fail("kvm: a virtual machine");
    }
    memcpy(memory, guest_code, sizeof(guest_code));
    vcpu = ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region) == 0 ? ioctl(vm, KVM_CREATE_VCPU, 0) : -1;
    if (vcpu < 0 || ioctl(vcpu, KVM_GET_SREGS, &segments) != 0) {
        fail("kvm: a VCPU");
    }
    segments.cs.base = 0;
    segments.cs.selector = 0;
    if (ioctl(vcpu, KVM_SET_SREGS, &segments) != 0 || ioctl(vcpu, KVM_SET_REGS, &registers) != 0) {
        fail("kvm: registers");
    }
    return vcpu;
}

static int counter_open(const char *text, bool exclude_host, bool exclude_guest)
{
    struct perf_event_attr attr;
    int fd;

    event_parse(text, &attr);
    attr.disabled = 1;
    attr.pinned = 1;
    attr.exclude_host = exclude_host;
    attr.exclude_guest = exclude_guest;
    fd = event_open(&attr, 0, -1);
    if (fd < 0) {
        errno = -fd;
        fail(text);
    }
    return fd;
}

/* Enables the event, runs the VCPU until its hlt, disables the event. */
static void vcpu_run_counted(int vcpu, int fd)
{
    long result = SYS_ioctl;
    long file = fd;
    long request = PERF_EVENT_IOC_ENABLE;
    long argument = 0;

    __asm__ volatile("syscall\n\t"
                     "mov %[ioctl], %%eax\n\t"
                     "mov %[vcpu], %%edi\n\t"
                     "mov %[run], %%esi\n\t"
                     "xor %%edx, %%edx\n\t"
                     "syscall\n\t"
                     "mov %[ioctl], %%eax\n\t"
                     "mov %[fd], %%edi\n\t"
                     "mov %[disable], %%esi\n\t"
                     "xor %%edx, %%edx\n\t"
                     "syscall"
                     : "+a"(result), "+D"(file), "+S"(request), "+d"(argument)
                     : [vcpu] "m"(vcpu), [fd] "m"(fd), [ioctl] "i"(SYS_ioctl), [run] "i"(KVM_RUN),
                       [disable] "i"(PERF_EVENT_IOC_DISABLE)
                     : "rcx", "r11", "memory", "cc");
}

static uint64_t counter_read(int fd)
{
    uint64_t count = UINT64_MAX;

    return read(fd, &count, sizeof(count)) == sizeof(count) ? count : UINT64_MAX;
}

int main(void)
{
    static const struct {
        const char *name;
        const char *event;
        bool exclude_host;
        bool exclude_guest;
        uint64_t want; /* besides the guest's instructions, unless it is excluded */
    } rows[] = {
        {"kvm: guest only, all rings", "instructions", true, false, 0},
        {"kvm: guest only, ring 0", "instructions:k", true, false, 0},
        {"kvm: host only, user", "instructions:u", false, true, HOST_INSNS},
        {"kvm: guest only, all rings, again", "instructions", true, false, 0},
    };
    int vcpu = vcpu_create();
    uint64_t guest_insns = GUEST_INSNS_FIRST;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int fd = counter_open(rows[i].event, rows[i].exclude_host, rows[i].exclude_guest);

        vcpu_run_counted(vcpu, fd);
        tap_equal(rows[i].name, counter_read(fd),
                  rows[i].want + (rows[i].exclude_guest ? 0 : guest_insns));
        guest_insns = GUEST_INSNS_NEXT;
        close(fd);
    }
    return 0;
}
