// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints the table of expected counts from the .expect sections of the constructed programs:
 * name, part, instructions, branches, taken branches, conditional branches, separated by tabs.
 *
 * Runs on the host when the tests are built. It knows nothing of counters.
 * Usage: expected FILE..., each FILE a dumped section named PROGRAM.expect
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* As lib/asm.h lays a record out. */
struct record {
    char part[16];
    uint64_t insn;
    uint64_t branches;
    uint64_t taken;
    uint64_t conditional;
};

static int records_print(const char *path)
{
    FILE *file = fopen(path, "rb");
    const char *base = strrchr(path, '/');
    struct record record;
    size_t size;

    if (file == NULL) {
        perror(path);
        return 1;
    }
    base = base != NULL ? base + 1 : path;
    while ((size = fread(&record, 1, sizeof(record), file)) == sizeof(record)) {
        printf("%.*s\t%.16s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
               (int)strcspn(base, "."), base, record.part, record.insn, record.branches,
               record.taken, record.conditional);
    }
    fclose(file);
    if (size != 0) {
        fprintf(stderr, "%s: ends within a record\n", path);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (records_print(argv[i]) != 0) {
            return 1;
        }
    }
    return argc > 1 ? 0 : 2;
}
