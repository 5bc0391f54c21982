package io.rdmarpc.verbs.soft.link;

import org.jspecify.annotations.Nullable;

/**
 * Points at which tests stop a process to kill it. Without a hook a thread only reads one field.
 */
public enum StopPoint {
    /** A record of a ring is written except for its first word. */
    IN_RECORD,
    /** A part of a copy between two processes is done. */
    IN_COPY;

    @SuppressWarnings("ImmutableEnumChecker") // Tests only.
    private @Nullable Runnable hook;

    /**
     * Sets or removes the action of this point. Called by the one thread that reaches it, or before that thread starts.
     */
    public void hook(@Nullable Runnable action) {
        hook = action;
    }

    /** Runs the hook, if there is one. */
    public void reach() {
        Runnable action = hook;
        if (action != null) {
            action.run();
        }
    }
}
