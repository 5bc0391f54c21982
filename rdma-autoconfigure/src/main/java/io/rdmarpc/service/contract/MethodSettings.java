package io.rdmarpc.service.contract;

import io.rdmarpc.annotation.RdmaMethod;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * The settings of a method from {@link RdmaMethod}, for its callers.
 *
 * @param timeout how long a call may take, null for the target's timeout
 * @param attempts maximum number of attempts: 1 unless the method is idempotent, {@link #UNSET} for the client's
 *     settings
 * @param backoff the delay before the second attempt, null for the client's settings
 * @param attemptTimeout how long one attempt may take, null for the client's settings
 * @param oneWay whether the caller does not wait for the end of the call
 */
public record MethodSettings(
        @Nullable Duration timeout,
        int attempts,
        @Nullable Duration backoff,
        @Nullable Duration attemptTimeout,
        boolean oneWay) {

    /** The number of attempts of an idempotent method that does not set it. */
    public static final int UNSET = 0;

    private static final String REMEDY = "Correct @RdmaMethod";

    /**
     * Returns the settings of a method.
     *
     * @param method a method of a service
     * @return the settings of its annotation, or the defaults
     * @throws RdmaInvalidServiceException if the settings conflict with the method or with each other
     */
    public static MethodSettings of(ServiceMethod method) {
        RdmaMethod annotation = method.declaration().getAnnotation(RdmaMethod.class);
        RdmaMethod annotated = annotation == null ? AnnotationUtils.synthesizeAnnotation(RdmaMethod.class) : annotation;
        MethodSettings settings = new MethodSettings(
                optionalDuration(method, "timeout", annotated.timeout()),
                annotated.idempotent() ? annotated.attempts() : 1,
                optionalDuration(method, "backoff", annotated.backoff()),
                optionalDuration(method, "attemptTimeout", annotated.attemptTimeout()),
                annotated.oneWay());
        settings.check(method, annotated);
        return settings;
    }

    private void check(ServiceMethod method, RdmaMethod annotated) {
        if (annotated.attempts() < UNSET) {
            throw new RdmaInvalidServiceException(
                    method + " has attempts = " + annotated.attempts() + ", which is below " + UNSET, REMEDY);
        }
        if (attemptTimeout != null && attempts == 1) {
            throw new RdmaInvalidServiceException(
                    method + " has an attemptTimeout, but only 1 attempt",
                    REMEDY + ": set idempotent = true, or timeout");
        }
        if (annotated.idempotent() && method.streaming()) {
            throw new RdmaInvalidServiceException(
                    method + " streams and is idempotent, but elements that were delivered cannot be revoked",
                    "Omit idempotent, and call again in the application if the stream fails");
        }
        if (oneWay && annotated.idempotent()) {
            throw new RdmaInvalidServiceException(
                    method + " is oneWay and idempotent, but a caller that does not wait cannot retry after a failure",
                    "Omit one of them");
        }
        if (oneWay && method.streaming()) {
            throw new RdmaInvalidServiceException(
                    method + " is oneWay and takes a stream, but the caller must send its elements during the call",
                    "Omit oneWay, or return a future and do not wait for it");
        }
        if (oneWay && method.declaration().getReturnType() != void.class) {
            throw new RdmaInvalidServiceException(
                    method + " is oneWay and returns "
                            + method.declaration().getReturnType().getSimpleName()
                            + ", but the caller does not wait for a result",
                    "Return void, or omit oneWay");
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
                "the " + what + " \"" + text + "\" of " + method + " is not a positive duration",
                "Write it as 500ms or 2s");
    }
}
