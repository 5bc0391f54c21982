package io.rdmarpc.verbs.ibverbs.registration;

import io.rdmarpc.verbs.error.Errno;

/** The state of a memory region after {@code ibv_rereg_mr} ({@code enum ibv_rereg_mr_err_code}, its manual page). */
public enum ReregisterOutcome {
    /** The region has changed as requested. */
    CHANGED,
    /** The region is unchanged. */
    UNCHANGED,
    /** The region must not be used, only closed. */
    LOST;

    /** The old memory could not be made available to child processes again; the region has changed nevertheless. */
    private static final int DO_FORK_OLD = -3;

    /** The driver or the kernel failed halfway, unless it does not support the command at all. */
    private static final int COMMAND = -4;

    public static ReregisterOutcome of(int result, int errno) {
        boolean started = errno != Errno.EOPNOTSUPP && errno != Errno.ENOSYS;
        if (result == 0 || result == DO_FORK_OLD) {
            return CHANGED;
        }
        return result > COMMAND || (result == COMMAND && !started) ? UNCHANGED : LOST;
    }
}
