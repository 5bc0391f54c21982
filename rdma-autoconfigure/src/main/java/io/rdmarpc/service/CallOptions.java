package io.rdmarpc.service;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Options of a caller for some of its calls: metadata and another timeout. They apply to calls of proxies inside
 * {@link #call} or {@link #run}, on the same thread and in forks of a structured task scope. They also apply to a Mono
 * or Flux that is created inside, regardless of where it is subscribed to. Immutable.
 *
 * <pre>
 *   Receipt receipt = CallOptions.metadata("tenant", "acme").timeout(Duration.ofSeconds(1)).call(() -&gt; orders.place(order));
 * </pre>
 *
 * <p>Nested options replace the outer ones.
 */
public final class CallOptions {

    private static final ScopedValue<CallOptions> CURRENT = ScopedValue.newInstance();
    private static final CallOptions NONE = new CallOptions(Map.of(), null);

    /**
     * Whether any options were used. Applications without options thus need no lookup for each call. Not volatile: a
     * thread inside {@link #call} or {@link #run} sees its own write.
     */
    private static boolean anyBound;

    private final Map<String, String> metadata;
    private final @Nullable Duration timeout;

    private CallOptions(Map<String, String> metadata, @Nullable Duration timeout) {
        this.metadata = metadata;
        this.timeout = timeout;
    }

    /**
     * Returns options with one metadata pair.
     *
     * @param key the key, not empty
     * @param value the value, may be empty
     * @return the options, which can be extended
     */
    public static CallOptions metadata(String key, String value) {
        return NONE.with(key, value);
    }

    /**
     * Returns options with a timeout.
     *
     * @param timeout the limit of each call, positive; replaces the timeouts of the method and the target
     * @return the options, which can be extended
     */
    public static CallOptions within(Duration timeout) {
        return NONE.timeout(timeout);
    }

    /**
     * Returns options that request a debug text, such as the server's stack trace, in the details of a failure. The
     * server sends it only if its property {@code rdma.server.error.include-debug} is true.
     *
     * @return the options, which can be extended
     */
    public static CallOptions debugDetails() {
        return NONE.withDebugDetails();
    }

    /**
     * Requests a debug text in the details of a failure.
     *
     * @return the extended copy
     */
    public CallOptions withDebugDetails() {
        return with(CallMetadata.DEBUG_DETAILS, "");
    }

    /**
     * Adds a metadata pair.
     *
     * @param key the key, not empty
     * @param value the value, may be empty
     * @return the extended copy
     */
    public CallOptions with(String key, String value) {
        Map<String, String> more = new LinkedHashMap<>(metadata);
        more.put(key, value);
        return new CallOptions(more, timeout);
    }

    /**
     * Sets the timeout.
     *
     * @param longest the limit of each call, positive
     * @return the changed copy
     */
    public CallOptions timeout(Duration longest) {
        if (!longest.isPositive()) {
            throw new IllegalArgumentException("A timeout of " + longest + " is not possible: use a positive duration");
        }
        return new CallOptions(metadata, longest);
    }

    /**
     * Makes calls with these options.
     *
     * @param <R> the type of the result
     * @param <X> the type of the exception
     * @param calls runs at once on the calling thread
     * @return the result of the calls
     * @throws X the exception of the calls
     */
    public <R extends @Nullable Object, X extends Throwable> R call(ScopedValue.CallableOp<R, X> calls) throws X {
        anyBound = true;
        return ScopedValue.where(CURRENT, this).call(calls);
    }

    /**
     * Makes calls with these options.
     *
     * @param calls runs at once on the calling thread
     */
    public void run(Runnable calls) {
        anyBound = true;
        ScopedValue.where(CURRENT, this).run(calls);
    }

    /**
     * Returns the options of this thread.
     *
     * @return the options, null outside
     */
    public static @Nullable CallOptions current() {
        return anyBound && CURRENT.isBound() ? CURRENT.get() : null;
    }

    /**
     * Returns the metadata.
     *
     * @return an unmodifiable map
     */
    public Map<String, String> metadata() {
        return Map.copyOf(metadata);
    }

    /**
     * Returns the timeout.
     *
     * @return the timeout, null to use that of the method
     */
    public @Nullable Duration timeout() {
        return timeout;
    }

    /**
     * Adds the metadata pairs to the metadata of a call.
     *
     * @param sent the metadata of the call
     */
    public void addTo(CallMetadata sent) {
        metadata.forEach(sent::put);
    }
}
