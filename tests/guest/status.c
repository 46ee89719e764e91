/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: where perfctr is not usable, query names the reason, every other op is -EOPNOTSUPP,
 * and RDPMC is #GP in both modes.
 * Ground truth: the first word of the command line says how Xen was started (status_*.test).
 */
#include "pcx.h"

static uint64_t readable_counters(uint64_t unused0, uint64_t unused1)
{
    static const uint32_t bases[] = {0, 0x20000000, 0x40000000, 0x80000000, 0xfffffff0};
    uint64_t value, readable = 0;
    uint32_t n, index;

    (void)unused0;
    (void)unused1;
    for (n = 0; n < ARRAY_LEN(bases); n++) {
        for (index = 0; index < 16; index++) {
            readable += rdpmc_safe(bases[n] + index, &value);
        }
    }
    return readable;
}

static void refused_ops(void)
{
    static const unsigned int ops[] = {
        XEN_PERFCTR_OP_register, XEN_PERFCTR_OP_unregister, XEN_PERFCTR_OP_check,
        XEN_PERFCTR_OP_program,  XEN_PERFCTR_OP_sync,       XEN_PERFCTR_OP_policy,
        XEN_PERFCTR_OP_accounts, XEN_PERFCTR_OP_session,
    };
    static struct xen_perfctr_program zeros;
    unsigned int n;

    for (n = 0; n < ARRAY_LEN(ops); n++) {
        check_eq(pcx_op(ops[n], ops[n] == XEN_PERFCTR_OP_sync ? NULL : &zeros), -X_EOPNOTSUPP,
                 "op %u", ops[n]);
    }
    check_eq(pcx_register(0), -X_EOPNOTSUPP, "register with good frames");
}

static void status_test(uint32_t status)
{
    static struct xen_perfctr_query q, want;
    unsigned int n;

    property("query gives the reason");
    memset(&q, 0xa5, sizeof(q));
    check_eq(pcx_op(XEN_PERFCTR_OP_query, &q), 0, "query answers");
    want.magic = XEN_PERFCTR_MAGIC;
    want.major = XEN_PERFCTR_VERSION_MAJOR;
    want.minor = XEN_PERFCTR_VERSION_MINOR;
    want.status = status;
    check_eq(q.magic, want.magic, "query: magic");
    check_eq(q.status, want.status, "query: status");
    check(memcmp(&q, &want, sizeof(q)) == 0, "query: all else is 0");
    property("all else is refused");
    refused_ops();
    property("rdpmc is #GP");
    check_eq(readable_counters(0, 0), 0, "rdpmc is #GP in kernel mode");
    check_eq(user_run(readable_counters, 0, 0), 0, "rdpmc is #GP in user mode");
    for (n = 0; n < XEN_PERFCTR_PAGE_BYTES; n++) {
        if (pcx_pages[0].counter_bytes[n] != 0 || pcx_pages[0].control_bytes[n] != 0) {
            break;
        }
    }
    check_eq(n, XEN_PERFCTR_PAGE_BYTES, "refused pages are not written");
}

void test_main(void)
{
    static const struct {
        const char *word;
        uint32_t status;
    } reasons[] = {
        {"off", XEN_PERFCTR_STATUS_OFF},
        {"vpmu", XEN_PERFCTR_STATUS_VPMU},
        {"watchdog", XEN_PERFCTR_STATUS_WATCHDOG},
        {"no-pmu", XEN_PERFCTR_STATUS_NO_PMU},
    };
    unsigned int n;

    for (n = 0; n < ARRAY_LEN(reasons); n++) {
        if (has_word(reasons[n].word)) {
            status_test(reasons[n].status);
            return;
        }
    }
    error("no reason on the command line: %s", start_info->cmd_line);
}
