package io.rdmarpc.service.codec.limit;

import io.rdmarpc.service.codec.RdmaMessageBudgetException;
import io.rdmarpc.service.codec.SerializationSettings;
import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * Limits the cost of one message for the process that reads it: elements, bytes on the heap, and comparisons of keys.
 * A coder reuses one budget for all its messages. Used by one thread at a time.
 *
 * <p>The heap size is an estimate ({@link HeapEstimate}). The limit grows as the message is read: each byte that was
 * read permits {@link SerializationSettings#maxExpansion()} bytes on the heap. A message of 20 MB that consists of
 * empty maps is rejected after its first 200 KB. Readers add each value to the estimate, and check it for each block
 * that they read. A value takes at least one byte, so the unchecked part is bounded by the block.
 */
public final class MessageBudget {

    /** Bytes on the heap, and hashed bytes of nested keys, that every message may cost. */
    static final int BASE_BYTES = 1 << 20;

    /** Comparisons that every message may cost. They take a few milliseconds. */
    static final int BASE_COMPARISONS = 100_000;

    /** Maximum average number of times that each byte of a message is hashed, as part of nested keys. */
    static final int MAX_HASHED = 16;

    private final SerializationSettings settings;

    private long heap;
    private long elements;
    private long keys;
    private long comparisons;
    private long hashed;

    public MessageBudget(SerializationSettings settings) {
        this.settings = settings;
    }

    /** Begins a message. */
    public void begin() {
        heap = 0;
        elements = 0;
        keys = 0;
        comparisons = 0;
        hashed = 0;
    }

    /** Adds bytes to the heap size of the message. {@link #check} compares it with the limit. */
    public void charge(int bytes) {
        heap += bytes;
    }

    /** Adds an array and the reference to it to the heap size. */
    public void chargeArray(int length, int bytesEach) {
        heap += HeapEstimate.ARRAY + (long) length * bytesEach;
    }

    /**
     * Rejects the message if its heap size exceeds the limit for the bytes that were read.
     *
     * @param consumed bytes of the message that have been read
     */
    public void check(long consumed) {
        if (heap > BASE_BYTES + settings.maxExpansion() * consumed) {
            throw RdmaMessageBudgetException.of(
                    "the first " + consumed + " bytes of the message take about " + heap + " bytes on the heap",
                    settings.maxExpansion() + " for each byte, plus " + BASE_BYTES + " for each message",
                    "max-expansion");
        }
    }

    /** Adds the elements of a container before it is created. */
    public void addElements(int count) {
        elements += count;
        if (elements > settings.maxElements()) {
            throw RdmaMessageBudgetException.of(
                    "the message claims " + elements + " elements in its containers",
                    Integer.toString(settings.maxElements()),
                    "max-elements");
        }
    }

    /**
     * Adds a key before it is put into a container that searches for equal keys.
     *
     * @param compared number of earlier keys that it may be compared with
     * @param bytes length of the key in the message; each comparison may read all of them
     */
    void addKey(int compared, int bytes) {
        keys++;
        comparisons += compared * (1L + (bytes >> 6));
        if (comparisons > BASE_COMPARISONS + settings.maxCollisions() * keys) {
            throw RdmaMessageBudgetException.of(
                    "the " + keys + " keys and set elements read so far have so many equal hash codes that adding"
                            + " them takes " + comparisons + " comparisons",
                    settings.maxCollisions() + " for each key, plus " + BASE_COMPARISONS + " for each message",
                    "max-collisions");
        }
    }

    /**
     * Adds the hash code of a key. Nested sets compute the hash code of their elements again at each level.
     *
     * @param bytes length of the key in the message
     * @param consumed bytes of the message that have been read
     */
    void addHashed(int bytes, long consumed) {
        hashed += bytes;
        if (hashed > BASE_BYTES + MAX_HASHED * consumed) {
            throw new RdmaMessageBudgetException("the message has sets or maps nested in keys, of which " + hashed
                    + " bytes must be hashed after " + consumed + " bytes were read: the limit is " + MAX_HASHED
                    + " for each byte, plus " + BASE_BYTES + " for each message; send lists instead");
        }
    }

    /**
     * Checks a decimal number before the service computes with it. The sum of 1 and 1E-40000000 has 40 million
     * digits.
     */
    public BigDecimal checked(BigDecimal value) {
        requireScale(value.scale());
        requireBits(value.unscaledValue().bitLength());
        return value;
    }

    public BigInteger checked(BigInteger value) {
        requireBits(value.bitLength());
        return value;
    }

    public void requireScale(int scale) {
        int max = settings.maxScale();
        if (scale > max || scale < -max) {
            throw RdmaMessageBudgetException.of(
                    "the message has a decimal number with a scale of " + scale, "-" + max + " to " + max, "max-scale");
        }
    }

    public void requireBits(long bits) {
        if (bits > settings.maxIntegerBits()) {
            throw RdmaMessageBudgetException.of(
                    "the message has a number of " + bits + " bits",
                    Integer.toString(settings.maxIntegerBits()),
                    "max-integer-bits");
        }
    }
}
