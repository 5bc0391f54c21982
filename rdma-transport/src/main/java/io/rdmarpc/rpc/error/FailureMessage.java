package io.rdmarpc.rpc.error;

import org.jspecify.annotations.Nullable;

/** What a handler threw, in words for its caller: message and causes, no stack trace. Any thread. */
public final class FailureMessage {

    private static final int MOST_CAUSES = 4;

    private FailureMessage() {}

    /**
     * Puts a failure into words.
     *
     * @param thrown what a handler threw
     * @return its message, or else its class, and up to four causes
     */
    public static String of(Throwable thrown) {
        StringBuilder words = new StringBuilder(messageOf(thrown));
        Throwable cause = thrown.getCause();
        for (int i = 0; i < MOST_CAUSES && cause != null; i++) {
            words.append("; caused by ")
                    .append(cause.getClass().getName())
                    .append(": ")
                    .append(messageOf(cause));
            cause = cause.getCause();
        }
        return words.toString();
    }

    private static String messageOf(Throwable thrown) {
        String message = message(thrown);
        return message == null || message.isEmpty() ? thrown.getClass().getSimpleName() : message;
    }

    /** A message may be computed, and fail. */
    private static @Nullable String message(Throwable thrown) {
        try {
            return thrown.getMessage();
        } catch (RuntimeException e) {
            return null;
        }
    }
}
