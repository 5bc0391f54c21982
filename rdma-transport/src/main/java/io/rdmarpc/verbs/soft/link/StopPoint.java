package io.rdmarpc.verbs.soft.link;

import org.jspecify.annotations.Nullable;

/**
 * Moments at which tests let a process be killed. Nothing happens there otherwise: whoever gets there looks at one field.
 */
public enum StopPoint {
    /** A record of a ring is written but for its first word. */
    IN_RECORD,
    /** A part of what is copied between two processes is copied. */
    IN_COPY;

    @SuppressWarnings("ImmutableEnumChecker") // Tests only.
    private @Nullable Runnable hook;

    /** Has something done there from now on, or nothing more. By the one thread that gets there, or before it starts. */
    public void hook(@Nullable Runnable action) {
        hook = action;
    }

    /** This is the moment. */
    public void reach() {
        Runnable action = hook;
        if (action != null) {
            action.run();
        }
    }
}
