package io.rdmarpc.service;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a caller wants for some of its calls: metadata that travels with them, another time-out. Holds for the calls of
 * proxies that are made inside, on this thread and in what is forked in a structured task scope; for a Mono or Flux that is
 * made inside, wherever it is subscribed to. Immutable.
 *
 * <pre>
 *   Receipt receipt = CallOptions.metadata("tenant", "acme").timeout(Duration.ofSeconds(1)).call(() -&gt; orders.place(order));
 * </pre>
 *
 * <p>Options inside others replace them.
 */
public final class CallOptions {

    private static final ScopedValue<CallOptions> CURRENT = ScopedValue.newInstance();
    private static final CallOptions NONE = new CallOptions(Map.of(), null);

    /** Most applications use none, and need not look for them with each call. A thread that is inside knows. */
    private static boolean anyBound;

    private final Map<String, String> metadata;
    private final @Nullable Duration timeout;

    private CallOptions(Map<String, String> metadata, @Nullable Duration timeout) {
        this.metadata = metadata;
        this.timeout = timeout;
    }

    /**
     * Makes options with one pair of metadata.
     *
     * @param key not empty
     * @param value may be empty
     * @return to be built upon
     */
    public static CallOptions metadata(String key, String value) {
        return NONE.with(key, value);
    }

    /**
     * Makes options with a time-out.
     *
     * @param timeout how long each call may take, over 0; instead of the method's and the target's
     * @return to be built upon
     */
    public static CallOptions within(Duration timeout) {
        return NONE.timeout(timeout);
    }

    /**
     * Adds a pair of metadata.
     *
     * @param key not empty
     * @param value may be empty
     * @return other options
     */
    public CallOptions with(String key, String value) {
        Map<String, String> more = new LinkedHashMap<>(metadata);
        more.put(key, value);
        return new CallOptions(more, timeout);
    }

    /**
     * Sets the time-out.
     *
     * @param longest how long each call may take, over 0
     * @return other options
     */
    public CallOptions timeout(Duration longest) {
        if (!longest.isPositive()) {
            throw new IllegalArgumentException("a call within " + longest + ": it needs some time");
        }
        return new CallOptions(metadata, longest);
    }

    /**
     * Makes calls with these options.
     *
     * @param <R> what they return
     * @param <X> what they throw
     * @param calls runs here and now
     * @return what the calls return
     * @throws X what the calls throw
     */
    public <R extends @Nullable Object, X extends Throwable> R call(ScopedValue.CallableOp<R, X> calls) throws X {
        anyBound = true;
        return ScopedValue.where(CURRENT, this).call(calls);
    }

    /**
     * Makes calls with these options.
     *
     * @param calls runs here and now
     */
    public void run(Runnable calls) {
        anyBound = true;
        ScopedValue.where(CURRENT, this).run(calls);
    }

    /**
     * Returns the options of this thread.
     *
     * @return null where there are none
     */
    public static @Nullable CallOptions current() {
        return anyBound && CURRENT.isBound() ? CURRENT.get() : null;
    }

    /**
     * Returns the metadata.
     *
     * @return cannot be changed
     */
    public Map<String, String> metadata() {
        return Map.copyOf(metadata);
    }

    /**
     * Returns the time-out.
     *
     * @return null where the method's holds
     */
    public @Nullable Duration timeout() {
        return timeout;
    }

    /**
     * Puts the pairs where they travel.
     *
     * @param sent of a call
     */
    public void addTo(CallMetadata sent) {
        metadata.forEach(sent::put);
    }
}
