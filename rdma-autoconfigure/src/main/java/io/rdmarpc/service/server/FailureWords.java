package io.rdmarpc.service.server;

import org.jspecify.annotations.Nullable;

/** An exception in words for a caller elsewhere: its message and its causes', but no stack trace. */
final class FailureWords {

    private static final int MOST_CAUSES = 4;

    private FailureWords() {}

    static String of(Throwable failure) {
        StringBuilder words = new StringBuilder(messageOf(failure));
        Throwable cause = failure.getCause();
        for (int i = 0; i < MOST_CAUSES && cause != null; i++) {
            words.append("; caused by ")
                    .append(cause.getClass().getName())
                    .append(": ")
                    .append(messageOf(cause));
            cause = cause.getCause();
        }
        return words.toString();
    }

    private static String messageOf(Throwable failure) {
        String message = message(failure);
        return message == null || message.isEmpty() ? failure.getClass().getSimpleName() : message;
    }

    /** A message may be computed, and fail. */
    private static @Nullable String message(Throwable failure) {
        try {
            return failure.getMessage();
        } catch (RuntimeException e) {
            return null;
        }
    }
}
