package io.rdmarpc.rpc.error;

import org.jspecify.annotations.Nullable;

/** The description of a handler's exception for its caller: message and causes, no stack trace. Thread-safe. */
public final class FailureMessage {

    private static final int MAX_CAUSES = 4;

    private FailureMessage() {}

    /**
     * Describes an exception.
     *
     * @param thrown the exception of a handler
     * @return its message, or its class without one, and up to four causes
     */
    public static String of(Throwable thrown) {
        StringBuilder description = new StringBuilder(messageOf(thrown));
        Throwable cause = thrown.getCause();
        for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
            description
                    .append("; caused by ")
                    .append(cause.getClass().getName())
                    .append(": ")
                    .append(messageOf(cause));
            cause = cause.getCause();
        }
        return description.toString();
    }

    private static String messageOf(Throwable thrown) {
        String message = message(thrown);
        return message == null || message.isEmpty() ? thrown.getClass().getSimpleName() : message;
    }

    /** Returns null if the exception's getMessage() throws. */
    private static @Nullable String message(Throwable thrown) {
        try {
            return thrown.getMessage();
        } catch (RuntimeException e) {
            return null;
        }
    }
}
