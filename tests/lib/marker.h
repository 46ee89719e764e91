/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Markers: the machine counts what software cannot see between a start and a stop marker.
 *
 * A marker is the eight-byte NOP 0F 1F 84 00 disp32 (Intel SDM vol. 2, "NOP": the multi-byte
 * form with SIB and disp32) whose displacement carries a magic number and an id of 0 to 15. It is
 * valid in any ring and mode, touches nothing, and retires as exactly MARKER_INSNS instruction on
 * every processor, so it belongs into the expected count of the program that holds it.
 * At each stop the machine appends one line to the file named by `machine/run --counts`.
 */
#ifndef TESTS_LIB_MARKER_H
#define TESTS_LIB_MARKER_H

#define MARKER_START_BASE 0x70630000
#define MARKER_STOP_BASE 0x70640000
#define MARKER_ID_MAX 15
#define MARKER_INSNS 1

/* clang-format off */
#ifdef __ASSEMBLER__

.macro MARKER_START id
    .byte 0x0f, 0x1f, 0x84, 0x00
    .long MARKER_START_BASE | (\id)
.endm

.macro MARKER_STOP id
    .byte 0x0f, 0x1f, 0x84, 0x00
    .long MARKER_STOP_BASE | (\id)
.endm

#else
/* clang-format on */

/* The memory clobber keeps the compiler from moving the measured work across the marker. */
#define MARKER_EMIT(disp)                                                                          \
    __asm__ volatile(".byte 0x0f, 0x1f, 0x84, 0x00\n\t.long %c0" ::"i"(disp) : "memory")

/* `id` must be a compile-time constant of at most MARKER_ID_MAX. */
#define MARKER_START(id) MARKER_EMIT(MARKER_START_BASE | (id))
#define MARKER_STOP(id) MARKER_EMIT(MARKER_STOP_BASE | (id))

#endif
#endif
