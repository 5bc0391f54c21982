package io.rdmarpc.service;

import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.verbs.PeerText;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Pairs of keys and values that are sent with a call's arguments, such as a trace context or the name of a tenant. Keys
 * are unique, and the order of insertion is kept. Not thread-safe.
 */
public final class CallMetadata {

    /** Maximum size of all pairs of a call on the wire in bytes, including their lengths. */
    public static final int MAX_BYTES = 8 << 10;

    /**
     * Key of the pair that requests a debug text, such as a stack trace, in the details of a failure. The value is
     * ignored. {@link CallOptions#debugDetails()} sets it.
     */
    public static final String DEBUG_DETAILS = "rdma-debug-details";

    /** Metadata of a call that was sent without metadata: no pairs, read-only. */
    public static final CallMetadata NONE = new CallMetadata(Map.of(), true);

    private final Map<String, String> pairs = new LinkedHashMap<>();
    private final boolean readOnly;
    private int encodedBytes = MetadataBlock.HEADER_BYTES;

    /** Creates metadata without pairs. */
    public CallMetadata() {
        this(Map.of(), false);
    }

    private CallMetadata(Map<String, String> pairs, boolean readOnly) {
        pairs.forEach((key, value) -> {
            this.pairs.put(key, value);
            encodedBytes += MetadataBlock.bytesOf(key, value);
        });
        this.readOnly = readOnly;
    }

    static CallMetadata readOnly(Map<String, String> pairs) {
        return new CallMetadata(pairs, true);
    }

    /**
     * Returns a value.
     *
     * @param key the key, case-sensitive
     * @return the value, null if the key is absent
     */
    public @Nullable String get(String key) {
        return pairs.get(key);
    }

    /**
     * Sets a value and replaces the previous one.
     *
     * @param key the key, not empty
     * @param value the value, may be empty
     * @return this
     * @throws RdmaMessageTooLargeException if all pairs would exceed {@link #MAX_BYTES}
     * @throws UnsupportedOperationException on the server, where metadata is read-only
     */
    public CallMetadata put(String key, String value) {
        requireWritable();
        if (key.isEmpty()) {
            throw new IllegalArgumentException("The key of a metadata pair must not be empty");
        }
        String old = pairs.get(key);
        int before = old == null ? 0 : MetadataBlock.bytesOf(key, old);
        int bytes = encodedBytes - before + MetadataBlock.bytesOf(key, value);
        if (bytes > MAX_BYTES) {
            throw new RdmaMessageTooLargeException("Call metadata would have " + bytes + " bytes with '" + key
                    + "'; the limit is " + MAX_BYTES + " bytes for all pairs of a call. Send longer values as "
                    + "arguments");
        }
        pairs.put(key, value);
        encodedBytes = bytes;
        return this;
    }

    /**
     * Sets all values of other metadata.
     *
     * @param other the source, not changed
     * @return this
     * @throws RdmaMessageTooLargeException if all pairs would exceed {@link #MAX_BYTES}
     * @throws UnsupportedOperationException on the server, where metadata is read-only
     */
    public CallMetadata putAll(CallMetadata other) {
        other.pairs.forEach(this::put);
        return this;
    }

    /**
     * Removes a value.
     *
     * @param key the key, case-sensitive
     * @return this
     * @throws UnsupportedOperationException on the server, where metadata is read-only
     */
    public CallMetadata remove(String key) {
        requireWritable();
        String old = pairs.remove(key);
        if (old != null) {
            encodedBytes -= MetadataBlock.bytesOf(key, old);
        }
        return this;
    }

    private void requireWritable() {
        if (readOnly) {
            throw new UnsupportedOperationException("The metadata of a received call is read-only");
        }
    }

    /**
     * Returns whether there are no pairs.
     *
     * @return true if there are no pairs
     */
    public boolean isEmpty() {
        return pairs.isEmpty();
    }

    /**
     * Returns all pairs.
     *
     * @return an unmodifiable view
     */
    public Map<String, String> asMap() {
        return Collections.unmodifiableMap(pairs);
    }

    int encodedBytes() {
        return encodedBytes;
    }

    /** Returns the pairs for logs, without control characters and with a length limit. */
    @Override
    public String toString() {
        return PeerText.detail(pairs.toString());
    }
}
