package io.rdmarpc.verbs.ibverbs.registration;

import io.rdmarpc.verbs.error.Errno;

/** What became of a memory region by {@code ibv_rereg_mr} ({@code enum ibv_rereg_mr_err_code}, its manual page). */
public enum ReregisterOutcome {
    /** It is as asked for. */
    CHANGED,
    /** It is as it was before. */
    UNCHANGED,
    /** It must not be used any more, only closed. */
    LOST;

    /** The memory of before could not be given back to child processes; the region has changed all the same. */
    private static final int DO_FORK_OLD = -3;

    /** The driver or the kernel failed half-way, unless it has no such command at all. */
    private static final int COMMAND = -4;

    public static ReregisterOutcome of(int answer, int errno) {
        boolean started = errno != Errno.EOPNOTSUPP && errno != Errno.ENOSYS;
        if (answer == 0 || answer == DO_FORK_OLD) {
            return CHANGED;
        }
        return answer > COMMAND || (answer == COMMAND && !started) ? UNCHANGED : LOST;
    }
}
