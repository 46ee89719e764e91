/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a fuzz target without a fuzzer: each file named, and N mutations of each. The mutations are
 * the same in every run.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES 8192

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t state = 88172645463325252ull;

static uint64_t rnd(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % below;
}

static void mutate(uint8_t *data, size_t size)
{
    static const uint64_t odd[] = {0, 1, 5, 6, 31, 32, 33, 255, 0xffff, ~0ull};
    uint64_t times = 1 + rnd(3);

    while (times-- != 0) {
        size_t at = rnd(size);

        if (rnd(2) != 0) {
            data[at] = (uint8_t)(data[at] ^ 1u << rnd(8));
        } else {
            uint64_t value = odd[rnd(sizeof(odd) / sizeof(odd[0]))];
            size_t bytes = 1ull << rnd(4);

            at -= at % bytes;
            memcpy(data + at, &value, at + bytes <= size ? bytes : size - at);
        }
    }
}

int main(int argc, char **argv)
{
    static uint8_t original[MAX_BYTES];
    uint64_t runs = 0;
    int i;

    for (i = 2; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        size_t size = file == NULL ? 0 : fread(original, 1, sizeof(original), file);
        long n;

        if (size == 0) {
            printf("error - cannot read %s\n", argv[i]);
            return 2;
        }
        fclose(file);
        for (n = atol(argv[1]); n >= 0; n--) {
            uint8_t *data = malloc(size);

            memcpy(data, original, size);
            if (n != 0) {
                mutate(data, size);
            }
            LLVMFuzzerTestOneInput(data, size);
            free(data);
            runs++;
        }
    }
    printf("# %u inputs\n", (unsigned)runs);
    return runs == 0 ? 2 : 0;
}
