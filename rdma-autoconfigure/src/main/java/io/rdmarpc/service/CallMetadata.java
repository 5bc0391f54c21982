package io.rdmarpc.service;

import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.verbs.PeerText;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Pairs of a key and a value that travel in front of a call's arguments: the context of a trace, the name of a tenant. Each
 * key is there once; their order stays. For one thread at a time.
 */
public final class CallMetadata {

    /** Most bytes that all pairs of a call take on the wire, with their lengths. */
    public static final int MAX_BYTES = 8 << 10;

    /** Of a call that came without: no pairs, read only. */
    public static final CallMetadata NONE = new CallMetadata(Map.of(), true);

    private final Map<String, String> pairs = new LinkedHashMap<>();
    private final boolean readOnly;
    private int encodedBytes = MetadataBlock.HEADER_BYTES;

    /** Makes metadata without pairs. */
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
     * @param key case matters
     * @return the value, null when there is none
     */
    public @Nullable String get(String key) {
        return pairs.get(key);
    }

    /**
     * Sets a value; the one before is replaced.
     *
     * @param key not empty
     * @param value may be empty
     * @return this
     * @throws RdmaMessageTooLargeException when all pairs would take more than {@link #MAX_BYTES}
     * @throws UnsupportedOperationException on the server: it has arrived and goes nowhere else
     */
    public CallMetadata put(String key, String value) {
        requireWritable();
        if (key.isEmpty()) {
            throw new IllegalArgumentException("a key of call metadata must not be empty");
        }
        String old = pairs.get(key);
        int before = old == null ? 0 : MetadataBlock.bytesOf(key, old);
        int bytes = encodedBytes - before + MetadataBlock.bytesOf(key, value);
        if (bytes > MAX_BYTES) {
            throw new RdmaMessageTooLargeException("call metadata of " + bytes + " bytes with '" + key
                    + "': all pairs of a call may take " + MAX_BYTES + "; send what is longer as an argument");
        }
        pairs.put(key, value);
        encodedBytes = bytes;
        return this;
    }

    /**
     * Sets all values of another one.
     *
     * @param other only read
     * @return this
     * @throws RdmaMessageTooLargeException when all pairs would take more than {@link #MAX_BYTES}
     * @throws UnsupportedOperationException on the server
     */
    public CallMetadata putAll(CallMetadata other) {
        other.pairs.forEach(this::put);
        return this;
    }

    /**
     * Takes a value away.
     *
     * @param key case matters
     * @return this
     * @throws UnsupportedOperationException on the server
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
            throw new UnsupportedOperationException("the metadata of a call that has arrived cannot be changed");
        }
    }

    /**
     * Tells whether there are no pairs.
     *
     * @return true when nothing of it would travel
     */
    public boolean isEmpty() {
        return pairs.isEmpty();
    }

    /**
     * Returns all pairs.
     *
     * @return a view that cannot be changed
     */
    public Map<String, String> asMap() {
        return Collections.unmodifiableMap(pairs);
    }

    int encodedBytes() {
        return encodedBytes;
    }

    /** For logs: without control characters, cut where it is long. */
    @Override
    public String toString() {
        return PeerText.detail(pairs.toString());
    }
}
