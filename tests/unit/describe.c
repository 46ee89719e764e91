/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Property: the AMD description takes the machines it is for and no others, clears whatever RDPMC
 * reaches, and never lets a selector count Xen.
 * Ground truth: AMD64 APM volume 2, 13.2, and volume 3, appendix E, as numbers here.
 */
#include <stdio.h>

#include "fake.h"

static uint64_t wrong;

static void got(int line, const char *what, uint64_t value, uint64_t expected)
{
    if (value != expected) {
        printf("# describe.c:%d: %s: got %llx, expected %llx\n", line, what,
               (unsigned long long)value, (unsigned long long)expected);
        wrong++;
    }
}

static void probe_check(void)
{
    fake_reset();
    got(__LINE__, "AMD", fake_amd(), true);
    got(__LINE__, "counters", pcx_host.classes[0].nr_pmc, 6);
    got(__LINE__, "width", pcx_host.classes[0].width_bits, 48);
    fake_reset();
    fake_cpuid_intel = true;
    got(__LINE__, "another vendor", fake_amd(), false);
    fake_reset();
    fake_cpuid_ecx = 0;
    got(__LINE__, "no PerfCtrExtCore", fake_amd(), false);
    fake_reset();
    fake_counters_dead = true;
    got(__LINE__, "writes are swallowed", fake_amd(), false);
    fake_reset();
    fake_fail_at = 1;
    got(__LINE__, "writes fault", fake_amd(), false);
    fake_reset();
    fake_cpuid_perfmon_v2 = true;
    got(__LINE__, "PerfMonV2", fake_amd(), true);
}

static void range_check(int line, uint32_t first, uint32_t nr, uint64_t expected)
{
    uint32_t msr, other = 0;

    for (msr = first; msr < first + nr; msr++) {
        other += (fake_msr(0, msr) == 0) != (expected == 0);
    }
    got(line, "registers not as they must be", other, 0);
}

static void scrub_check(void)
{
    fake_reset();
    fake_cpuid_ecx |= 1u << 24 | 1u << 28;
    fake_cpuid_perfmon_v2 = true;
    got(__LINE__, "AMD", fake_amd(), true);
    got(__LINE__, "start", (uint64_t)pcx_pcpu_start(&fake_pcpus[0].core), 0);
    range_check(__LINE__, 0xc0010200u, 12, 0); /* core */
    range_check(__LINE__, 0xc0010230u, 12, 0); /* L3 */
    range_check(__LINE__, 0xc0010240u, 32, 0); /* northbridge, 16 with PerfMonV2 */
    got(__LINE__, "PerfCntrGlobalCtl", fake_msr(0, 0xc0000301u), 0x3f);
    fake_reset();
    got(__LINE__, "AMD", fake_amd(), true);
    got(__LINE__, "start", (uint64_t)pcx_pcpu_start(&fake_pcpus[0].core), 0);
    range_check(__LINE__, 0xc0010230u, 12, 1); /* absent: not touched */
    range_check(__LINE__, 0xc0010240u, 8, 1);
    range_check(__LINE__, 0xc0000301u, 1, 1);
}

/* Wherever the clearing is refused, nobody gets RDPMC on that pcpu. */
static void refused_check(void)
{
    uint64_t nth;

    for (nth = 1;; nth++) {
        fake_reset();
        fake_cpuid_ecx |= 1u << 24 | 1u << 28;
        fake_cpuid_perfmon_v2 = true;
        got(__LINE__, "AMD", fake_amd(), true);
        fake_fail_at = nth;
        if (pcx_pcpu_start(&fake_pcpus[0].core) == 0) {
            break;
        }
        got(__LINE__, "started", fake_pcpus[0].core.started, false);
    }
    got(__LINE__, "writes that can be refused", fake_failed, 0);
    got(__LINE__, "more than the core counters'", nth > 12 + 12 + 32, true);
}

static void selector_check(void)
{
    uint64_t bits = 0;

    fake_reset();
    got(__LINE__, "AMD", fake_amd(), true);
    got(__LINE__, "selector", (uint64_t)pcx_amd_ops.selector_pv(&bits), 0);
    got(__LINE__, "USR, EN, HostOnly", bits, 1ull << 16 | 1ull << 22 | 1ull << 41);
    got(__LINE__, "EFER", (uint64_t)pcx_port_wrmsr_safe(0xc0000080u, 0), 0);
    got(__LINE__, "selector", (uint64_t)pcx_amd_ops.selector_pv(&bits), 0);
    got(__LINE__, "USR, EN without SVME", bits, 1ull << 16 | 1ull << 22);
}

/* Below family 17h the event numbers mean other things. */
static void family_check(void)
{
    fake_reset();
    fake_cpuid_family = 0x15;
    got(__LINE__, "AMD", fake_amd(), true);
    got(__LINE__, "instructions", (uint64_t)pcx_amd_ops.event_check(0, 0xc0, 1), 0);
    got(__LINE__, "family 17h's 0x64", (uint64_t)-pcx_amd_ops.event_check(0, 0x64, 1), PCX_EACCES);
    fake_cpuid_family = 0x1a;
    got(__LINE__, "AMD", fake_amd(), true);
    got(__LINE__, "family 17h's 0x64", (uint64_t)pcx_amd_ops.event_check(0, 0x64, 1), 0);
}

int main(void)
{
    probe_check();
    scrub_check();
    refused_check();
    selector_check();
    family_check();
    printf("%s - the AMD description\n", wrong == 0 ? "ok" : "not ok");
    return wrong != 0;
}
