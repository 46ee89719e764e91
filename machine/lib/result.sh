# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What came of a boot: looks for trouble in the logs, prints the command's output, sets the status.

# Linux says BUG, WARNING, Oops, panic; Xen says BUG, WARN, Assertion, FATAL.
TROUBLE='BUG:|BUG at|kernel BUG|WARNING:|Oops|[Pp]anic|general protection fault|Xen BUG|Xen WARN'
TROUBLE+='|WARN at|Assertion .* failed|FATAL|Call Trace:|\(XEN\) Xen call trace'

# The first line of trouble on the console, or nothing.
log_trouble() {
    local exceptions=$RUN/exceptions
    # The command lines name panic=-1 and whatever a caller asked for.
    echo '[Cc]ommand line: ' >"$exceptions"
    list_entries "$MACHINE/log-exceptions" >>"$exceptions"
    tr -d '\r' <"$RUN/console" | grep -a -E "$TROUBLE" | grep -a -v -E -f "$exceptions" |
        head -n 1 || true
    rm -f "$exceptions"
}

# Ends as "the machine failed", the run's directory kept.
machine_failed() {
    KEEP_RUN=1
    die "$1; logs: $RUN"
}

finish_run() {
    local status
    if [ -n "$O_COUNTS" ]; then
        { echo '['; sed '$!s/$/,/' "$RUN/counts"; echo ']'; } >"$O_COUNTS"
    fi
    if [ -n "$O_MICRO" ]; then
        micro_console
    elif [ -z "$O_SHELL" ]; then
        cat "$RUN/out"
        cat "$RUN/err" >&2
    fi
    check_machine
    [ -z "$O_MICRO" ] || micro_status
    status=$(cat "$RUN/status")
    exit "${status#exit }"
}

# Anything that makes the command's own status meaningless.
check_machine() {
    local trouble status
    trouble=$(log_trouble)
    status=$(cat "$RUN/status")
    if [ "$QEMU_STATUS" = 124 ] || [ "$QEMU_STATUS" = 137 ]; then
        KEEP_RUN=1
        say "no end after $O_TIMEOUT s${trouble:+, after: $trouble}; logs: $RUN"
        exit 124
    fi
    [ -z "$trouble" ] || machine_failed "trouble in the machine's log: $trouble"
    [ "$QEMU_STATUS" = 0 ] ||
        machine_failed "QEMU ended with $QEMU_STATUS: $(grep -v warning: "$RUN/qemu-errors" | tail -n 1)"
    [ -z "$O_MICRO" ] || return 0
    case $status in
        "exit "*) ;;
        machine*) machine_failed "${status#machine }$(module_reason)" ;;
        *) machine_failed "the machine stopped before the command ended: $(last_line)" ;;
    esac
}

module_reason() {
    tr -d '\r' <"$RUN/console" | grep -a -i perfctr | grep -a -v '[Cc]ommand line:' | tail -n 1 |
        sed 's/^/: /'
}

last_line() {
    tr -d '\r' <"$RUN/console" | grep -a . | tail -n 1
}

# The guest's lines: Xen marks its own.
micro_console() {
    tr -d '\r' <"$RUN/console" | grep -a -v '^(XEN) ' || true
}

micro_status() {
    case $(micro_console | sed -n 's/^RESULT //p' | tail -n 1) in
        pass) exit 0 ;;
        fail) exit 1 ;;
        skip) exit 77 ;;
        error) exit 2 ;;
        *) machine_failed "the micro-guest printed no result: $(last_line)" ;;
    esac
}
