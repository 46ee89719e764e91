/* SPDX-License-Identifier: GPL-2.0-only */
/* Traps and callbacks. Kernel mode, events masked, on the VCPU's own stack: no locks. */
#include "trap.h"
#include "check.h"
#include "hypercall.h"
#include "mm.h"
#include "vcpu.h"

void entry_divide(void);
void entry_debug(void);
void entry_break(void);
void entry_invalid(void);
void entry_not_present(void);
void entry_stack(void);
void entry_protection(void);
void entry_page(void);
void entry_int80(void);
void trap_dispatch(struct frame *f);

struct extable_entry {
    uint64_t insn, fixup;
};
extern const struct extable_entry extable_start[], extable_end[];

bool (*volatile trap_hook)(struct frame *f);

static struct trap_info traps[16];

static void add_trap(uint8_t vector, uint8_t dpl, void (*entry)(void))
{
    static unsigned int used;

    traps[used++] = (struct trap_info){vector, (uint8_t)(dpl | 4), SEL_CS, 0, (uint64_t)entry};
}

void set_callback(unsigned int type, void (*entry)(void))
{
    struct callback_register cb = {(uint16_t)type, CALLBACKF_MASK_EVENTS, 0, (uint64_t)entry};

    if (hypercall2(HC_callback_op, CALLBACKOP_REGISTER, (uint64_t)&cb) != 0) {
        error("callback %u refused", type);
    }
}

void trap_setup(void)
{
    add_trap(0, 0, entry_divide);
    add_trap(1, 0, entry_debug);
    add_trap(3, 3, entry_break);
    add_trap(6, 0, entry_invalid);
    add_trap(11, 0, entry_not_present);
    add_trap(12, 0, entry_stack);
    add_trap(13, 0, entry_protection);
    add_trap(14, 0, entry_page);
    add_trap(0x80, 3, entry_int80);
    if (hypercall2(HC_set_trap_table, (uint64_t)traps, 0) != 0) {
        error("trap table refused");
    }
    set_callback(CALLBACKTYPE_EVENT, entry_event);
    set_callback(CALLBACKTYPE_FAILSAFE, entry_failsafe);
    set_callback(CALLBACKTYPE_SYSCALL, entry_syscall);
}

const struct trap_info *trap_list(void)
{
    return traps;
}

static void take_events(struct vcpu *v)
{
    struct vcpu_info *info = &shared_info->vcpu[v->id];
    unsigned int word;

    info->upcall_pending = 0;
    (void)__atomic_exchange_n(&info->pending_sel, 0, __ATOMIC_SEQ_CST);
    for (word = 0; word < 64; word++) {
        if (__atomic_exchange_n(&shared_info->evtchn_pending[word], 0, __ATOMIC_SEQ_CST) != 0) {
            v->nr_events++;
        }
    }
}

static bool fix_up(struct frame *f)
{
    const struct extable_entry *e;

    for (e = extable_start; e < extable_end; e++) {
        if (e->insn == f->rip) {
            f->rip = e->fixup;
            return true;
        }
    }
    return false;
}

static void die(const struct frame *f)
{
    error("unexpected trap %lu error %lx on VCPU %u", f->vector, f->error, this_vcpu()->id);
    print("# rip %lx cs %lx rflags %lx rsp %lx\n", f->rip, f->cs, f->rflags, f->rsp);
    print("# rax %lx rbx %lx rcx %lx rdx %lx\n", f->rax, f->rbx, f->rcx, f->rdx);
    finish();
}

void trap_dispatch(struct frame *f)
{
    struct vcpu *v = this_vcpu();
    bool (*hook)(struct frame *) = trap_hook;
    uint64_t vector = f->vector;

    if (hook != NULL && hook(f)) {
        f->error = 0;
        return;
    }
    switch (vector) {
    case VECTOR_SYSCALL:
        f->rax = ((uint64_t(*)(uint64_t))f->rdi)(f->rsi);
        f->error = IRET_IN_SYSCALL;
        return;
    case VECTOR_EVENT:
        take_events(v);
        break;
    case VECTOR_FAILSAFE:
        v->nr_failsafe++;
        break;
    case 0x80:
        v->nr_int80++;
        break;
    default:
        if (!fix_up(f)) {
            die(f);
        }
        break;
    }
    f->error = 0;
}
