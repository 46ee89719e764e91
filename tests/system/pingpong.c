// SPDX-License-Identifier: GPL-2.0-only
/*
 * One or two threads on CPU 0 whose switches are counted by the machine between two markers. Each
 * thread has events of its own; those whose counts the construction says must be exact.
 *
 * Usage: pingpong [-m] [-i ID] [-k KIND] [-r ROUNDS] NAME EVENTS [EVENTS]
 *   EVENTS  of the first and the second thread: NAME,NAME,... or - for none
 *   -m      maps the page of each event, as a program that reads its counters itself
 *   -i ID   number of the marker (0)
 *   -k pipe   the two hand a byte to each other: two switches a round (default)
 *      calls  the first makes system calls that do not block, there is no second
 *      sleep  the first sleeps, there is no second: CPU 0 is idle in between
 * Prints one line "ok - NAME ..." or "not ok - NAME ...".
 */
#define _GNU_SOURCE
#include "marker.h"
#include "model.h"

#define EVENTS_MAX 8
#define WARM_ROUNDS 50
#define SLEEP_NS 20000

struct side {
    struct worker worker;
    struct worker_op ops[2];
    const char *texts[EVENTS_MAX];
    int fds[EVENTS_MAX];
    int event_nr;
};

static struct side sides[2];
static bool map;
static unsigned long marker_id;
static uint64_t rounds = 600;
static const char *kind = "pipe";
static const struct timespec sleep_time = {.tv_nsec = SLEEP_NS};
static char byte;

static struct worker_op transfer(uint64_t n, uint64_t call, int fd)
{
    return (struct worker_op){
        .n = n, .call = call, .argument = {(uint64_t)fd, (uintptr_t)&byte, 1}};
}

/* The first thread's calls stand between the markers: warm rounds, then those that are looked at. */
static void side_setup(struct side *side, int gate_fd)
{
    side->worker = (struct worker)WORKER_INIT(side->ops, 2);
    side->worker.rounds[0] = WARM_ROUNDS;
    side->worker.rounds[1] = rounds;
    side->worker.gate_fd = gate_fd;
    if (side == &sides[0]) {
        side->worker.mark[0] = worker_mark_start[marker_id];
        side->worker.mark[1] = worker_mark_stop[marker_id];
    }
}

static int sides_setup(int gate_fd)
{
    int there[2], back[2];

    model_pipe(there);
    model_pipe(back);
    if (strcmp(kind, "pipe") == 0) {
        sides[0].ops[0] = transfer(100, SYS_write, there[1]);
        sides[0].ops[1] = transfer(10, SYS_read, back[0]);
        sides[1].ops[0] = transfer(30, SYS_read, there[0]);
        sides[1].ops[1] = transfer(700, SYS_write, back[1]);
        side_setup(&sides[0], gate_fd);
        side_setup(&sides[1], gate_fd);
        return 2;
    }
    for (int i = 0; i < 2; i++) {
        sides[0].ops[i] = (struct worker_op){.n = 100, .call = SYS_getppid};
        if (strcmp(kind, "sleep") == 0) {
            sides[0].ops[i].call = SYS_nanosleep;
            sides[0].ops[i].argument[0] = (uintptr_t)&sleep_time;
        }
    }
    side_setup(&sides[0], gate_fd);
    return 1;
}

static void side_open(struct side *side, char *list)
{
    if (strcmp(list, "-") == 0) {
        return;
    }
    for (char *text = strtok(list, ","); text != NULL; text = strtok(NULL, ",")) {
        int fd;

        if (side->event_nr == EVENTS_MAX) {
            model_fail("more than %d events", EVENTS_MAX);
        }
        fd = model_open((struct opening){.text = text, .tid = (pid_t)side->worker.tid});
        if (map && mmap(NULL, MODEL_PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED) {
            model_fail("mmap of %s: %s", text, strerror(errno));
        }
        side->texts[side->event_nr] = text;
        side->fds[side->event_nr++] = fd;
    }
}

static void side_check(const struct side *side)
{
    const struct worker_counts want = worker_expected(&side->worker);
    const struct {
        const char *text;
        uint64_t count;
    } known[] = {
        {"instructions:u", want.insn}, {"rc0:u", want.insn},        {"rc2:u", want.branches},
        {"rc4:u", want.taken},         {"rd1:u", want.conditional},
    };

    for (int i = 0; i < side->event_nr; i++) {
        uint64_t got = model_count(side->fds[i]);

        for (size_t j = 0; j < sizeof(known) / sizeof(known[0]); j++) {
            if (strcmp(side->texts[i], known[j].text) == 0) {
                want_equal(side->texts[i], got, known[j].count);
            }
        }
        want_true("it counted at all", got > 0);
    }
}

static int arguments_parse(int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "mi:k:r:")) != -1) {
        if (option == 'm') {
            map = true;
        } else if (option == 'i') {
            marker_id = strtoul(optarg, NULL, 10);
        } else if (option == 'k') {
            kind = optarg;
        } else if (option == 'r') {
            rounds = strtoull(optarg, NULL, 10);
        } else {
            return -1;
        }
    }
    return argc - optind < 2 || argc - optind > 3 || marker_id > MARKER_ID_MAX ? -1 : optind;
}

int main(int argc, char **argv)
{
    int first = arguments_parse(argc, argv);
    int gate[2];
    int nr;

    if (first < 0) {
        fprintf(stderr,
                "usage: pingpong [-m] [-i ID] [-k KIND] [-r ROUNDS] NAME EVENTS [EVENTS]\n");
        return 2;
    }
    case_name = argv[first];
    model_pipe(gate);
    nr = sides_setup(gate[0]);
    for (int i = 0; i < nr; i++) {
        worker_thread(&sides[i].worker);
        model_pin_task((pid_t)sides[i].worker.tid, 0);
        model_at_gate((pid_t)sides[i].worker.tid, &sides[i].worker);
        if (first + 1 + i < argc) {
            side_open(&sides[i], argv[first + 1 + i]);
        }
    }
    model_go(gate[1], nr);
    for (int i = 0; i < nr; i++) {
        worker_join(&sides[i].worker);
    }
    for (int i = 0; i < nr; i++) {
        side_check(&sides[i]);
    }
    printf("ok - %s: counts\n", case_name);
    return 0;
}
