package io.rdmarpc.service.contract;

import io.rdmarpc.annotation.RdmaMethod;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * What {@link RdmaMethod} says about a method, for the side that calls it.
 *
 * @param timeout how long a call may take, null for the target's time-out
 * @param attempts how often a call is tried at most, 1 unless the method is idempotent, {@link #NOT_SAID} for the client's
 *     settings
 * @param backoff the pause before the second attempt, null for the client's settings
 * @param attemptTimeout how long one attempt may take, null for the client's settings
 * @param oneWay whether the caller does not wait for the end
 */
public record MethodSettings(
        @Nullable Duration timeout,
        int attempts,
        @Nullable Duration backoff,
        @Nullable Duration attemptTimeout,
        boolean oneWay) {

    /** Attempts of a method that is idempotent and does not say how many. */
    public static final int NOT_SAID = 0;

    private static final String REMEDY = "Correct @RdmaMethod";

    /**
     * Reads the settings of a method.
     *
     * @param method a method of a service
     * @return what its declaration says, or the defaults
     * @throws RdmaInvalidServiceException when the settings do not fit the method or each other
     */
    public static MethodSettings of(ServiceMethod method) {
        RdmaMethod annotation = method.declaration().getAnnotation(RdmaMethod.class);
        RdmaMethod said = annotation == null ? AnnotationUtils.synthesizeAnnotation(RdmaMethod.class) : annotation;
        MethodSettings settings = new MethodSettings(
                optionalDuration(method, "timeout", said.timeout()),
                said.idempotent() ? said.attempts() : 1,
                optionalDuration(method, "backoff", said.backoff()),
                optionalDuration(method, "attemptTimeout", said.attemptTimeout()),
                said.oneWay());
        settings.check(method, said);
        return settings;
    }

    private void check(ServiceMethod method, RdmaMethod said) {
        if (said.attempts() < NOT_SAID) {
            throw new RdmaInvalidServiceException(method + " is to be tried " + said.attempts() + " times", REMEDY);
        }
        if (attemptTimeout != null && attempts == 1) {
            throw new RdmaInvalidServiceException(
                    method + " has an attemptTimeout, but is tried once", REMEDY + ": idempotent = true, or timeout");
        }
        if (said.idempotent() && method.streaming()) {
            throw new RdmaInvalidServiceException(
                    method + " streams and is idempotent, but what has arrived of a stream cannot be taken back",
                    "Leave idempotent out, and call again where the stream failed");
        }
        if (oneWay && said.idempotent()) {
            throw new RdmaInvalidServiceException(
                    method + " is oneWay and idempotent, but nobody waits for a failure and tries again",
                    "Leave one of them out");
        }
        if (oneWay && method.declaration().getReturnType() != void.class) {
            throw new RdmaInvalidServiceException(
                    method + " is oneWay and returns "
                            + method.declaration().getReturnType().getSimpleName()
                            + ", but nobody waits for it",
                    "Return void, or leave oneWay out");
        }
    }

    private static @Nullable Duration optionalDuration(ServiceMethod method, String what, String text) {
        return text.isEmpty() ? null : duration(method, what, text);
    }

    private static Duration duration(ServiceMethod method, String what, String text) {
        try {
            Duration duration = DurationFormatterUtils.detectAndParse(text);
            if (duration.isPositive()) {
                return duration;
            }
        } catch (IllegalArgumentException e) {
            // Reported below.
        }
        throw new RdmaInvalidServiceException(
                "the " + what + " \"" + text + "\" of " + method + " is not a duration over 0",
                "Write it as 500ms or 2s");
    }
}
