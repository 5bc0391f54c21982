package io.rdmarpc.rpc.error;

import java.io.Serial;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Typed details of a failed call, sent with its status and message. They correspond to the messages {@code RetryInfo},
 * {@code BadRequest}, {@code ResourceInfo}, {@code ErrorInfo} and {@code DebugInfo} of google.rpc. Immutable.
 *
 * <pre>{@code
 * RdmaErrorDetails.builder()
 *         .fieldViolation("item.count", "must be positive", "Positive")
 *         .reason("COUNT_TOO_SMALL", "warehouse")
 *         .build()
 * }</pre>
 *
 * <p>A failure response is one packet. What does not fit is omitted, and {@link #isTruncated} is then true at the
 * caller. All parts except the debug text are sent to every caller, so they must not contain secrets.
 */
public final class RdmaErrorDetails implements Serializable {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Details without any part. */
    public static final RdmaErrorDetails NONE = new Builder().build();

    private final Duration retryDelay;
    private final ArrayList<FieldViolation> fieldViolations;
    private final @Nullable Resource resource;
    private final String reason;
    private final String domain;
    private final LinkedHashMap<String, String> metadata;
    private final String debug;
    private final boolean truncated;

    private RdmaErrorDetails(Builder builder) {
        retryDelay = builder.retryDelay;
        fieldViolations = new ArrayList<>(builder.fieldViolations);
        resource = builder.resource;
        reason = builder.reason;
        domain = builder.domain;
        metadata = new LinkedHashMap<>(builder.metadata);
        debug = builder.debug;
        truncated = builder.truncated;
    }

    /**
     * An invalid field of the arguments.
     *
     * @param field path of the field, such as {@code items[0].count}; empty if the violation concerns no single field
     * @param description what is wrong, for a person
     * @param code what is wrong, for a program, such as the name of the constraint; empty without one
     */
    public record FieldViolation(String field, String description, String code) implements Serializable {

        /** Rejects null. */
        public FieldViolation {
            Objects.requireNonNull(field, "field");
            Objects.requireNonNull(description, "description");
            Objects.requireNonNull(code, "code");
        }
    }

    /**
     * The object that the failure concerns.
     *
     * @param type type of the object, such as {@code order}
     * @param name name or key of the object
     * @param owner owner of the object, empty without one
     * @param description what is wrong with the object, for a person; empty without one
     */
    public record Resource(String type, String name, String owner, String description) implements Serializable {

        /** Rejects null. */
        public Resource {
            Objects.requireNonNull(type, "type");
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(owner, "owner");
            Objects.requireNonNull(description, "description");
        }
    }

    /**
     * Returns a builder without any part.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns details with a retry delay only.
     *
     * @param delay how long the caller should wait before a retry, zero for no hint
     * @return the details
     */
    public static RdmaErrorDetails ofRetryDelay(Duration delay) {
        return delay.isZero() ? NONE : builder().retryDelay(delay).build();
    }

    /**
     * Returns a builder with the parts of these details.
     *
     * @return the builder
     */
    public Builder toBuilder() {
        Builder copy = new Builder();
        copy.retryDelay = retryDelay;
        copy.fieldViolations.addAll(fieldViolations);
        copy.resource = resource;
        copy.reason = reason;
        copy.domain = domain;
        copy.metadata.putAll(metadata);
        copy.debug = debug;
        copy.truncated = truncated;
        return copy;
    }

    /**
     * Returns how long the caller should wait before a retry. {@link RdmaRpcException#retryAfter} returns the same.
     *
     * @return the delay, zero for no hint; sent in whole milliseconds, rounded up
     */
    public Duration retryDelay() {
        return retryDelay;
    }

    /**
     * Returns the invalid fields of the arguments.
     *
     * @return an unmodifiable list, in the order of the sender
     */
    public List<FieldViolation> fieldViolations() {
        return List.copyOf(fieldViolations);
    }

    /**
     * Returns the object that the failure concerns.
     *
     * @return the object, null without one
     */
    public @Nullable Resource resource() {
        return resource;
    }

    /**
     * Returns the reason for a program, such as {@code COUNT_TOO_SMALL}, which is unique in its domain.
     *
     * @return the reason, empty without one
     */
    public String reason() {
        return reason;
    }

    /**
     * Returns the domain of the reason, such as the name of the service.
     *
     * @return the domain, empty without one
     */
    public String domain() {
        return domain;
    }

    /**
     * Returns further values for a program.
     *
     * @return an unmodifiable map, in the order of the sender
     */
    public Map<String, String> metadata() {
        return Collections.unmodifiableMap(metadata);
    }

    /**
     * Returns text for the developer of the service, usually a stack trace. A server sends it only if the caller
     * requested it and the server's settings permit it.
     *
     * @return the text, which may have several lines; empty without one
     */
    public String debug() {
        return debug;
    }

    /**
     * Returns whether the sender omitted parts because they did not fit the response, or this side could not read all
     * of them.
     *
     * @return true if parts are missing or shortened
     */
    public boolean isTruncated() {
        return truncated;
    }

    /**
     * Returns whether there is only a retry delay, or nothing.
     *
     * @return true if no other part would be sent
     */
    public boolean hasOnlyRetryDelay() {
        return fieldViolations.isEmpty()
                && resource == null
                && reason.isEmpty()
                && domain.isEmpty()
                && metadata.isEmpty()
                && debug.isEmpty()
                && !truncated;
    }

    /**
     * Returns whether there is no part.
     *
     * @return true if nothing would be sent
     */
    public boolean isEmpty() {
        return retryDelay.isZero() && hasOnlyRetryDelay();
    }

    /**
     * Returns the same details with another debug text.
     *
     * @param text the text, empty for none
     * @return these details if the text is the same, otherwise a copy
     */
    public RdmaErrorDetails withDebug(String text) {
        return text.equals(debug) ? this : toBuilder().debug(text).build();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RdmaErrorDetails that
                && retryDelay.equals(that.retryDelay)
                && fieldViolations.equals(that.fieldViolations)
                && Objects.equals(resource, that.resource)
                && reason.equals(that.reason)
                && domain.equals(that.domain)
                && metadata.equals(that.metadata)
                && debug.equals(that.debug)
                && truncated == that.truncated;
    }

    @Override
    public int hashCode() {
        return Objects.hash(retryDelay, fieldViolations, resource, reason, domain, metadata, debug, truncated);
    }

    /** Describes the details for logs. Omits the debug text, which may have secrets. */
    @Override
    public String toString() {
        return "RdmaErrorDetails[retryDelay=" + retryDelay + ", fieldViolations=" + fieldViolations + ", resource="
                + resource + ", reason=" + reason + ", domain=" + domain + ", metadata=" + metadata + ", debug="
                + debug.length() + " characters, truncated=" + truncated + "]";
    }

    /** Builds details. Not thread-safe. */
    public static final class Builder {

        private Duration retryDelay = Duration.ZERO;
        private final List<FieldViolation> fieldViolations = new ArrayList<>();
        private @Nullable Resource resource;
        private String reason = "";
        private String domain = "";
        private final Map<String, String> metadata = new LinkedHashMap<>();
        private String debug = "";
        private boolean truncated;

        private Builder() {}

        /**
         * Sets how long the caller should wait before a retry.
         *
         * @param delay the delay, zero for no hint
         * @return this
         * @throws IllegalArgumentException if the delay is negative
         */
        public Builder retryDelay(Duration delay) {
            if (delay.isNegative()) {
                throw new IllegalArgumentException(
                        "A retry delay of " + delay + " is not possible: use a positive duration, or zero for no hint");
            }
            retryDelay = delay;
            return this;
        }

        /**
         * Adds an invalid field.
         *
         * @param field path of the field
         * @param description what is wrong, for a person
         * @return this
         */
        public Builder fieldViolation(String field, String description) {
            return fieldViolation(field, description, "");
        }

        /**
         * Adds an invalid field with a code.
         *
         * @param field path of the field
         * @param description what is wrong, for a person
         * @param code what is wrong, for a program; empty without one
         * @return this
         */
        public Builder fieldViolation(String field, String description, String code) {
            fieldViolations.add(new FieldViolation(field, description, code));
            return this;
        }

        /**
         * Sets the object that the failure concerns.
         *
         * @param type type of the object
         * @param name name or key of the object
         * @return this
         */
        public Builder resource(String type, String name) {
            return resource(new Resource(type, name, "", ""));
        }

        /**
         * Sets the object that the failure concerns.
         *
         * @param concerned the object, null for none
         * @return this
         */
        public Builder resource(@Nullable Resource concerned) {
            resource = concerned;
            return this;
        }

        /**
         * Sets the reason for a program.
         *
         * @param code a constant that is unique in its domain
         * @param ofDomain the domain, such as the name of the service
         * @return this
         */
        public Builder reason(String code, String ofDomain) {
            reason = Objects.requireNonNull(code, "code");
            domain = Objects.requireNonNull(ofDomain, "ofDomain");
            return this;
        }

        /**
         * Sets a further value for a program.
         *
         * @param key the key
         * @param value the value, which replaces an earlier one of the key
         * @return this
         */
        public Builder metadata(String key, String value) {
            metadata.put(Objects.requireNonNull(key, "key"), Objects.requireNonNull(value, "value"));
            return this;
        }

        /**
         * Sets the text for the developer of the service.
         *
         * @param text the text, empty for none
         * @return this
         */
        public Builder debug(String text) {
            debug = Objects.requireNonNull(text, "text");
            return this;
        }

        /**
         * Marks the details as incomplete.
         *
         * @return this
         */
        public Builder truncated() {
            truncated = true;
            return this;
        }

        /**
         * Builds the details.
         *
         * @return the details
         */
        public RdmaErrorDetails build() {
            return new RdmaErrorDetails(this);
        }
    }
}
