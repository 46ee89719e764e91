// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sets the policy of the domain it runs in, dom0, as a toolstack would: one hypercall through
 * /dev/xen/privcmd.
 * Usage: policy off|arch|safe|all. Exit status: 0 done, 1 refused (errno on stderr), 2 usage.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <xen/perfctr.h>

#define DOMID_SELF 0x7ff0 /* Xen, public/xen.h */

/* Linux, include/uapi/xen/privcmd.h */
struct privcmd_hypercall {
    uint64_t op;
    uint64_t arg[5];
};
#define PRIVCMD_HYPERCALL _IOC(_IOC_NONE, 'P', 0, sizeof(struct privcmd_hypercall))

/* Xen reads it where it lies: it must be in memory. */
static struct xen_perfctr_policy policy = {
    .action = XEN_PERFCTR_POLICY_SET,
    .domid = DOMID_SELF,
};

int main(int argc, char **argv)
{
    static const char *const words[] = {"arch", "safe", "all"};
    struct privcmd_hypercall call = {
        .op = __HYPERVISOR_perfctr_op,
        .arg = {XEN_PERFCTR_OP_policy, (uint64_t)(uintptr_t)&policy},
    };
    uint32_t allow = 0;
    int fd;

    if (argc != 2) {
        return 2;
    }
    while (allow < 3 && strcmp(argv[1], words[allow]) != 0) {
        allow++;
    }
    policy.level = allow < 3 ? XEN_PERFCTR_LEVEL_COUNT : XEN_PERFCTR_LEVEL_OFF;
    policy.allow = allow < 3 ? allow : XEN_PERFCTR_ALLOW_ARCH;
    fd = open("/dev/xen/privcmd", O_RDWR | O_CLOEXEC);
    if (fd < 0 || mlock(&policy, sizeof(policy)) != 0 || ioctl(fd, PRIVCMD_HYPERCALL, &call) != 0) {
        perror("policy");
        return 1;
    }
    return 0;
}
