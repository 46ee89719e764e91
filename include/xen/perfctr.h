/* SPDX-License-Identifier: MIT */
/*
 * The Perfctr-Xen ABI: the hypercall and the pages that Xen and a guest share.
 *
 * One copy for the hypervisor, the guest module, the tests and whatever else uses the interface.
 *
 * Hypercall: HYPERVISOR_perfctr_op(unsigned int op, void *arg), number __HYPERVISOR_perfctr_op.
 * Every struct is passed by guest address, is copied in once, and has the same layout for 32-bit
 * and 64-bit callers. All pads must be zero. Results: 0, or a negative errno of Xen's numbering
 * (which is Linux's). Fields are marked IN, OUT or INOUT as the guest sees them; OUT fields are
 * written only on success unless a line says otherwise.
 *
 * Errors that any op may return, one cause each:
 *   -ENOSYS      the hypervisor does not know the op (or does not have this interface at all)
 *   -EFAULT      arg cannot be read or written
 *   -EACCES      XSM (Flask) refuses the caller; program and check: see there
 *   -EOPNOTSUPP  the interface is not usable by this caller: XEN_PERFCTR_OP_query says why in
 *                `status`; program and check: see there
 *
 * A field that is neither an index nor a count of events carries its unit in its name.
 */
#ifndef XEN_PUBLIC_PERFCTR_H
#define XEN_PUBLIC_PERFCTR_H

#if defined(__XEN__)
#include <xen/types.h>
#elif defined(__KERNEL__)
#include <linux/types.h>
#else
#include <stdint.h>
#endif

/* Equal to __HYPERVISOR_arch_2 of Xen's public/xen.h. */
#define __HYPERVISOR_perfctr_op 50

/* A later Xen may give the number to something else: trust only an answer that has the magic. */
#define XEN_PERFCTR_MAGIC 0x50435831u /* "PCX1" */
#define XEN_PERFCTR_VERSION_MAJOR 1   /* changes with every incompatible layout */
#define XEN_PERFCTR_VERSION_MINOR 0   /* grows with every addition */

/* Guest ops, for the calling domain. */
#define XEN_PERFCTR_OP_query 0
#define XEN_PERFCTR_OP_register 1
#define XEN_PERFCTR_OP_unregister 2
#define XEN_PERFCTR_OP_check 3
#define XEN_PERFCTR_OP_program 4
#define XEN_PERFCTR_OP_sync 5
/* Control ops, for a domain that XSM lets control counters (dom0). */
#define XEN_PERFCTR_OP_policy 16
#define XEN_PERFCTR_OP_accounts 17 /* reserved: -EOPNOTSUPP */
#define XEN_PERFCTR_OP_session 18  /* reserved: -EOPNOTSUPP */

#define XEN_PERFCTR_MAX_SLOTS 32    /* slots of one VCPU, upper bound of query.nr_slots */
#define XEN_PERFCTR_MAX_RING 16     /* ring pages of one VCPU */
#define XEN_PERFCTR_MAX_CLASSES 4   /* classes of counters */
#define XEN_PERFCTR_PAGE_BYTES 4096 /* every page of this interface */

/* Classes of counters: index into query.classes[] and avail_mask[]. */
#define XEN_PERFCTR_CLASS_CORE 0  /* general counters (AMD core, Intel GP) */
#define XEN_PERFCTR_CLASS_FIXED 1 /* counters with a fixed event (Intel) */

/* What a slot's register holds. */
#define XEN_PERFCTR_KIND_OFFSET 0 /* anything: V = sum + (raw - start) */
#define XEN_PERFCTR_KIND_RAW 1    /* V modulo 2^width_bits whenever code that may read it runs */
#define XEN_PERFCTR_KIND_SAMPLE 2 /* private to Xen, overflow armed */

/* Slot flags. */
#define XEN_PERFCTR_SLOT_USER (1u << 0)      /* count the guest's user mode */
#define XEN_PERFCTR_SLOT_KERNEL (1u << 1)    /* count the guest's kernel mode */
#define XEN_PERFCTR_SLOT_SPLIT (1u << 2)     /* a sum per mode; needs USER and KERNEL */
#define XEN_PERFCTR_SLOT_USER_READ (1u << 3) /* user mode reads the register with RDPMC */
#define XEN_PERFCTR_SLOT_CREDIT (1u << 4)    /* counts retired instructions: add 1 for each that */
                                             /* Xen emulates for a PV guest */

/* Guest modes. */
#define XEN_PERFCTR_MODE_USER 0
#define XEN_PERFCTR_MODE_KERNEL 1

/*
 * query: what this hypervisor, domain and policy offer. Caller: any guest. Changes nothing, takes
 * no lock; the answer about policy is a snapshot, newer whenever the counter page's policy_gen has
 * moved. Always answers on a hypervisor that has the interface, even where it is off.
 * Since 1.0.
 */
#define XEN_PERFCTR_STATUS_READY 0    /* usable */
#define XEN_PERFCTR_STATUS_OFF 1      /* Xen's command line has no perfctr= */
#define XEN_PERFCTR_STATUS_VPMU 2     /* Xen's own vPMU owns the counters (vpmu=) */
#define XEN_PERFCTR_STATUS_WATCHDOG 3 /* Xen's NMI watchdog owns a counter (watchdog) */
#define XEN_PERFCTR_STATUS_NO_PMU 4   /* no counters that Xen knows how to drive */
#define XEN_PERFCTR_STATUS_GUEST 5    /* kind of guest not supported (32-bit PV, nested HVM, ...) */

/* query.pmu */
#define XEN_PERFCTR_PMU_NONE 0
#define XEN_PERFCTR_PMU_AMD_CORE 1 /* selectors as AMD PERF_CTL; PerfCtrExtCore */
#define XEN_PERFCTR_PMU_SOFT 255   /* tests only */

/* query.features */
#define XEN_PERFCTR_FEATURE_SPLIT (1u << 0)  /* KIND_OFFSET with SLOT_SPLIT */
#define XEN_PERFCTR_FEATURE_RAW (1u << 1)    /* KIND_RAW, both modes */
#define XEN_PERFCTR_FEATURE_GATE (1u << 2)   /* KIND_RAW and KIND_SAMPLE, one mode */
#define XEN_PERFCTR_FEATURE_SAMPLE (1u << 3) /* KIND_SAMPLE */
#define XEN_PERFCTR_FEATURE_OFFSET (1u << 4) /* KIND_OFFSET without SLOT_SPLIT */
#define XEN_PERFCTR_FEATURE_CREDIT (1u << 5) /* SLOT_CREDIT */

/* Policy levels, each includes the ones before. */
#define XEN_PERFCTR_LEVEL_OFF 0
#define XEN_PERFCTR_LEVEL_COUNT 1
#define XEN_PERFCTR_LEVEL_SAMPLE 2
#define XEN_PERFCTR_LEVEL_RAW 3

/* Event allow-lists, each includes the ones before. */
#define XEN_PERFCTR_ALLOW_ARCH 0 /* architectural events */
#define XEN_PERFCTR_ALLOW_SAFE 1 /* events defined per hardware thread */
#define XEN_PERFCTR_ALLOW_ALL 2  /* all but those that no guest may have */

struct xen_perfctr_class {
    uint32_t nr_pmc;     /* OUT: counters of the class, 0: class absent */
    uint32_t width_bits; /* OUT: width of a counter */
    uint32_t rdpmc_base; /* OUT: RDPMC's ECX of counter 0 */
    uint32_t pad;
    uint64_t evtsel_mask; /* OUT: selector bits a guest may set; EN, INT and ring are Xen's */
};

struct xen_perfctr_query {
    uint32_t magic;        /* OUT: XEN_PERFCTR_MAGIC */
    uint16_t major;        /* OUT: XEN_PERFCTR_VERSION_MAJOR of the hypervisor */
    uint16_t minor;        /* OUT: XEN_PERFCTR_VERSION_MINOR of the hypervisor */
    uint32_t status;       /* OUT: XEN_PERFCTR_STATUS_*; all below is 0 unless READY */
    uint32_t pmu;          /* OUT: XEN_PERFCTR_PMU_* */
    uint32_t features;     /* OUT: XEN_PERFCTR_FEATURE_* of this guest */
    uint32_t nr_slots;     /* OUT: slots of a VCPU */
    uint32_t level;        /* OUT: XEN_PERFCTR_LEVEL_* of this domain */
    uint32_t allow;        /* OUT: XEN_PERFCTR_ALLOW_* of this domain */
    uint64_t policy_gen;   /* OUT: generation of the domain's policy */
    uint64_t period_floor; /* OUT: smallest period, events; 0 where sampling is not permitted */
    struct xen_perfctr_class classes[XEN_PERFCTR_MAX_CLASSES]; /* OUT: by XEN_PERFCTR_CLASS_* */
};

/*
 * register: give a VCPU its pages; from here on it may have RDPMC (control.rdpmc). Caller: self, or
 * a sibling for a VCPU that is down. The frames stay the guest's; Xen holds a writable reference to
 * each from here to unregister, a reset of the VCPU or the end of the domain, writes them at any
 * time, and reads nothing of them but the one byte control.rdpmc. The pages are zeroed first. The
 * same frames again: success, a fresh seq, all slots freed (resume after a cancelled suspend).
 * Frames that two VCPUs share are overwritten by both: that harms only the guest.
 * Concurrency: serialised per VCPU by Xen. Since 1.0.
 *   -EINVAL  nonzero pad or flags, nr_ring above XEN_PERFCTR_MAX_RING, or a frame named twice
 *   -ENOENT  the domain has no such VCPU
 *   -EBUSY   the VCPU is neither the caller nor down
 *   -EEXIST  it is registered with other frames
 *   -ENXIO   a frame is not ordinary writable memory of the caller
 *   -EPERM   the domain's policy is off
 *   -ENOMEM  Xen is out of memory
 */
struct xen_perfctr_register {
    uint32_t vcpu;                           /* IN: VCPU id */
    uint32_t flags;                          /* IN: 0 */
    uint64_t counter_gfn;                    /* IN: frame of a struct xen_perfctr_counter_page */
    uint64_t control_gfn;                    /* IN: frame of a struct xen_perfctr_control_page */
    uint32_t nr_ring;                        /* IN: used entries of ring_gfn; 0: no samples */
    uint32_t pad;                            /* IN: 0 */
    uint64_t ring_gfn[XEN_PERFCTR_MAX_RING]; /* IN: frames of the sample ring, in order */
};

/*
 * unregister: stop and drop all; RDPMC is closed when the call returns. Caller and concurrency as
 * register. When it returns Xen no longer touches the frames. Since 1.0.
 *   -EINVAL  nonzero pad
 *   -ENOENT  the domain has no such VCPU, or it is not registered
 *   -EBUSY   the VCPU is neither the caller nor down
 */
struct xen_perfctr_unregister {
    uint32_t vcpu; /* IN: VCPU id */
    uint32_t pad;  /* IN: 0 */
};

/* One counter of a set. The guest chooses the PMC: constraints between events are its knowledge. */
struct xen_perfctr_slot {
    uint16_t slot;      /* IN: slot number, below query.nr_slots */
    uint16_t pmc_class; /* IN: XEN_PERFCTR_CLASS_* */
    uint16_t pmc;       /* IN: counter of the class, below query.classes[].nr_pmc */
    uint16_t kind;      /* IN: XEN_PERFCTR_KIND_* */
    uint32_t flags;     /* IN: XEN_PERFCTR_SLOT_* */
    uint32_t pad;       /* IN: 0 */
    uint64_t evtsel;    /* IN: selector, bits within query.classes[].evtsel_mask */
    uint64_t config1;   /* IN: 0 */
    uint64_t config2;   /* IN: 0 */
    uint64_t period;    /* IN: SAMPLE: events from an overflow to the next; else 0 */
    uint64_t left;      /* IN: SAMPLE: events to the first overflow, 1 to period; else 0 */
    uint64_t cookie;    /* IN: the guest's own, copied into samples */
};

/*
 * program: replace the whole set of the calling VCPU. A slot whose {pmc_class, pmc, evtsel,
 * flags, kind, cookie} is unchanged goes on without a gap; where only period or left differ it is
 * reloaded; any other starts at V = 0. Slots not named are freed. All slots of one call start, and
 * all that end stop, at one point of the guest's execution. On success the page is as after sync.
 * An error changes nothing but for -EIO.
 * check: the same arguments and the same answers, loads nothing and needs no registration; for
 * perf_event_open to fail with the right errno.
 * Concurrency: self only. Since 1.0.
 *   -E2BIG       nr is above query.nr_slots
 *   -EINVAL      nonzero pad, config1 or config2; unknown kind or flag; neither USER nor KERNEL;
 *                flags, period or left that the kind does not have; selector bits outside
 *                evtsel_mask; a slot or a counter named twice
 *   -ENXIO       slot, class or pmc that this machine does not have
 *   -EBUSY       the counter is not in avail_mask: a system-wide session holds it
 *   -EPERM       the domain's policy does not permit counting (or the kind SAMPLE)
 *   -EACCES      the event is not on the domain's allow-list (or XSM refuses)
 *   -EOPNOTSUPP  query.features has no such kind or flag
 *   -ENOENT      program only: the VCPU is not registered
 *   -EIO         program only: the hardware refused a write; every slot of the VCPU is freed
 */
struct xen_perfctr_program {
    uint32_t nr;  /* IN: used entries of slot[] */
    uint32_t bad; /* OUT, written on error too (not -ENOENT, -EFAULT): entry that was refused, nr */
                  /* on success, 0 where no entry is to blame; IN: 0 */
    struct xen_perfctr_slot slot[XEN_PERFCTR_MAX_SLOTS]; /* IN */
};

/*
 * sync: book and publish every slot of the calling VCPU at one point: the page is then a group
 * snapshot for a guest that may not RDPMC just now. From here to its next change to user mode the
 * VCPU may (see the flag on the page): its kernel needs no second call before it lets user code run.
 * arg: NULL. Concurrency: self only. Since 1.0.
 *   -EINVAL  arg is not NULL
 *   -ENOENT  the VCPU is not registered
 */

/*
 * policy: read or set what a domain may do. Caller: dom0, for any domain and itself. A change holds
 * when the call returns: slots that it does not permit have stopped and are REVOKED, and nobody can
 * read their counters any more; each VCPU that is registered gets VIRQ_XENPMU, and its page a new policy_gen. RDPMC stays
 * open where it is, until unregister, so that no reader faults. Permitting again restarts nothing:
 * the guest programs. Concurrency: the domain is paused meanwhile, but for the calling VCPU.
 * Since 1.0.
 *   -EINVAL      nonzero pad, unknown action, level, allow or flag
 *   -EOPNOTSUPP  set: a level above COUNT, a flag, budget or period_floor, which are not built yet
 *   -ESRCH       no such domain, or it is dying
 *   -ENOMEM      set: Xen has no memory for the domain's state
 */
#define XEN_PERFCTR_POLICY_GET 0
#define XEN_PERFCTR_POLICY_SET 1
#define XEN_PERFCTR_POLICY_TRUSTED (1u << 0) /* counters are not cleared for this domain */

struct xen_perfctr_policy {
    uint32_t action;       /* IN: XEN_PERFCTR_POLICY_GET or _SET */
    uint16_t domid;        /* IN: domain */
    uint16_t pad;          /* IN: 0 */
    uint32_t level;        /* INOUT: XEN_PERFCTR_LEVEL_* */
    uint32_t allow;        /* INOUT: XEN_PERFCTR_ALLOW_* */
    uint32_t flags;        /* INOUT: XEN_PERFCTR_POLICY_* */
    uint32_t budget;       /* INOUT: samples per VCPU and millisecond, 0: default */
    uint64_t period_floor; /* INOUT: smallest period, events, 0: default */
    uint64_t policy_gen;   /* OUT: generation after the call */
};

/*
 * The counter page: writer Xen, reader the guest, which may map it read-only to user space; it
 * holds no address and no sample. What the guest writes to it harms only the guest. Whoever may
 * execute RDPMC reads a slot, on the slot's own VCPU only, so:
 *
 *     do {
 *         seq = page->seq;                            (1)
 *         compiler barrier
 *         value = slot->sum_user;                     (or sum_kernel, or both)
 *         if ((slot->flags & LIVE) && page->mode is one whose sum was asked for)
 *             value += (rdpmc(slot->rdpmc) - slot->start) & ((1 << slot->width_bits) - 1);
 *         compiler barrier
 *     } while (seq is odd || page->seq != seq);       (2)
 *
 * Xen interrupts the reader only between instructions and on the same VCPU, so (1) and (2) need no
 * fence. A thread that can migrate must check in the loop that it is still on the page's VCPU, and
 * must not wait on one page: a seq that stays odd is a page whose VCPU is not running. Without
 * RDPMC the sum of the mode that is not running is exact, and XEN_PERFCTR_OP_sync makes all exact.
 * A RAW slot keeps its sum in sum_user alone.
 */
#define XEN_PERFCTR_COUNTER_FLAG_RDPMC (1u << 0) /* the VCPU may execute RDPMC now */

/* Slot states on the page; none: the slot is free, all its fields are 0. */
#define XEN_PERFCTR_LIVE (1u << 0)      /* counting: add the register */
#define XEN_PERFCTR_STOPPED (1u << 1)   /* programmed, not counting */
#define XEN_PERFCTR_THROTTLED (1u << 2) /* stopped by the sampling limit of the policy */
#define XEN_PERFCTR_REVOKED (1u << 3)   /* stopped by policy or a session; V reads as 0 */
#define XEN_PERFCTR_RAW (1u << 4)       /* the register equals V modulo 2^width_bits */

struct xen_perfctr_counter_slot {
    uint64_t sum_user;   /* events booked in user mode (RAW: in both) */
    uint64_t sum_kernel; /* events booked in kernel mode */
    uint64_t start;      /* register when last booked */
    uint32_t rdpmc;      /* RDPMC's ECX */
    uint32_t flags;      /* state */
    uint32_t width_bits; /* of the register */
    uint32_t pad;
    uint64_t reserved[3];
};

struct xen_perfctr_counter_page {
    uint32_t version;           /* major << 16 | minor */
    uint32_t size_bytes;        /* of the used part */
    uint64_t seq;               /* even: stable; odd: Xen is writing; fresh at every register */
    uint64_t policy_gen;        /* of the domain's policy: moved on: query again */
    uint32_t vcpu;              /* VCPU id the page belongs to */
    uint32_t mode;              /* XEN_PERFCTR_MODE_*: the mode whose sums are running */
    uint32_t flags;             /* XEN_PERFCTR_COUNTER_FLAG_* */
    uint32_t nr_slots;          /* entries of slot[] */
    uint32_t slot_offset_bytes; /* of slot[0] from the page's start */
    uint32_t slot_bytes;        /* distance of two slots */
    uint64_t avail_mask[XEN_PERFCTR_MAX_CLASSES]; /* by class: counters that a set may name */
    uint64_t tsc_sum;   /* virtual TSC, cycles while the VCPU ran; value = sum + rdtsc - start */
    uint64_t tsc_start; /* TSC when the VCPU last began to run; 0: emulated, no virtual TSC */
    uint64_t reserved[20];
    struct xen_perfctr_counter_slot slot[XEN_PERFCTR_MAX_SLOTS];
};

/*
 * The control page: guest kernel only. Xen writes all but rdpmc, which only the guest writes:
 * nonzero asks for RDPMC, in kernel and user mode alike (in PV both run in ring 3). Xen reads it
 * once at each change from kernel to user mode; what is then in force, until the next such change or
 * a sync, stands in the counter page's flags. Without RDPMC in force a PV guest's RDPMC is #GP; sums and sync serve instead.
 */
struct xen_perfctr_control_page {
    uint32_t version;    /* major << 16 | minor */
    uint32_t size_bytes; /* of the used part */
    uint8_t rdpmc;       /* guest: 0 or 1 */
    uint8_t pad[7];
    uint32_t nr_ring;      /* ring pages */
    uint32_t record_bytes; /* distance of two records */
    uint64_t records;      /* records written since register: number of the newest */
    uint64_t throttled;    /* overflows not recorded: limit of the policy */
    uint64_t reserved[11];
};

/*
 * The ring: guest kernel only, overwritten by Xen, never read by it. Record n (from 1) stands in
 * place (n - 1) modulo (nr_ring * 4096 / record_bytes). Xen writes number = 0, the body, then
 * number: a reader copies and accepts only when number was n before and after.
 */
#define XEN_PERFCTR_RECORD_SAMPLE 1

struct xen_perfctr_record {
    uint64_t number;     /* from 1; 0 while written */
    uint16_t size_bytes; /* of this record */
    uint16_t type;       /* XEN_PERFCTR_RECORD_* */
    uint16_t slot;       /* slot number */
    uint8_t mode;        /* XEN_PERFCTR_MODE_* that overflowed */
    uint8_t cpl;         /* HVM: privilege level; PV: 3 in user mode, 0 in kernel mode */
    uint64_t cookie;     /* of the slot */
    uint64_t value;      /* V at the overflow */
    uint64_t overshoot;  /* events between the overflow and its discovery */
    uint64_t tsc_cycles; /* host TSC */
    uint64_t ip;
    uint64_t sp;
    uint64_t bp;
    uint64_t rflags;
    uint16_t cs;
    uint16_t ss;
    uint32_t pad;
    uint64_t reserved[5];
};

#endif /* XEN_PUBLIC_PERFCTR_H */
