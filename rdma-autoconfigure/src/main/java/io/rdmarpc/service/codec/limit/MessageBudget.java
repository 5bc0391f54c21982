package io.rdmarpc.service.codec.limit;

import io.rdmarpc.service.codec.RdmaMessageBudgetException;
import io.rdmarpc.service.codec.SerializationSettings;
import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * Limits the cost of one message for the process that reads it: elements, bytes on the heap, and comparisons of keys. A coder has
 * one budget and uses it for each of its messages. One thread at a time.
 *
 * <p>The heap is an estimate ({@link HeapEstimate}), and it is granted as the message is read: each byte that was read allows
 * {@link SerializationSettings#maxExpansion()} bytes. A message of 20 MB that consists of empty maps is rejected after its
 * first 200 KB. Readers add to the estimate for each value and compare it for each block that they read: a value takes a byte
 * or more, so what was not compared yet is bounded by the block.
 */
public final class MessageBudget {

    /** Bytes on the heap, and bytes of nested keys, that any message may cost, however short it is. */
    static final int BASE_BYTES = 1 << 20;

    /** Comparisons that any message may cost, however few keys it has: some milliseconds. */
    static final int BASE_COMPARISONS = 100_000;

    /** How often each byte of a message may be hashed, on average: as part of a key within a key within a key. */
    static final int MOST_HASHED = 16;

    private final SerializationSettings settings;

    private long heap;
    private long elements;
    private long keys;
    private long comparisons;
    private long hashed;

    public MessageBudget(SerializationSettings settings) {
        this.settings = settings;
    }

    /** Starts a message. */
    public void begin() {
        heap = 0;
        elements = 0;
        keys = 0;
        comparisons = 0;
        hashed = 0;
    }

    /** Adds to what the message takes on the heap; {@link #check} compares. */
    public void charge(int bytes) {
        heap += bytes;
    }

    /** Adds an array and the reference to it. */
    public void chargeArray(int length, int bytesEach) {
        heap += HeapEstimate.ARRAY + (long) length * bytesEach;
    }

    /**
     * Compares what was charged with what the bytes that were read allow.
     *
     * @param consumed bytes of the message that were read
     */
    public void check(long consumed) {
        if (heap > BASE_BYTES + settings.maxExpansion() * consumed) {
            throw RdmaMessageBudgetException.of(
                    "the first " + consumed + " bytes of the message take about " + heap + " bytes on the heap",
                    settings.maxExpansion() + " for each byte, and " + BASE_BYTES + " for any message",
                    "max-expansion");
        }
    }

    /** Adds the elements of a container before it is made. */
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
     * Adds a key that is about to be put into a container that looks for an equal one.
     *
     * @param compared earlier keys that it may be compared with
     * @param bytes of the key in the message: each comparison may look at all of them
     */
    void addKey(int compared, int bytes) {
        keys++;
        comparisons += compared * (1L + (bytes >> 6));
        if (comparisons > BASE_COMPARISONS + settings.maxCollisions() * keys) {
            throw RdmaMessageBudgetException.of(
                    "the " + keys + " keys and set elements read so far have equal hash codes so often that putting"
                            + " them in takes " + comparisons + " comparisons",
                    settings.maxCollisions() + " for each key, and " + BASE_COMPARISONS + " for any message",
                    "max-collisions");
        }
    }

    /**
     * Adds the hash code of a key. A set within a set within a set is hashed by each of them.
     *
     * @param bytes of the key in the message
     * @param consumed bytes of the message that were read
     */
    void addHashed(int bytes, long consumed) {
        hashed += bytes;
        if (hashed > BASE_BYTES + MOST_HASHED * consumed) {
            throw new RdmaMessageBudgetException("the message has sets or maps within keys within keys, of which "
                    + hashed + " bytes must be hashed for " + consumed + " bytes that were read: " + MOST_HASHED
                    + " for each byte, and " + BASE_BYTES + " for any message is the limit; send lists instead");
        }
    }

    /** Checks a decimal number before the service calculates with it: the sum of 1 and 1E-40000000 has 40 million digits. */
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
        int most = settings.maxScale();
        if (scale > most || scale < -most) {
            throw RdmaMessageBudgetException.of(
                    "the message has a decimal number with a scale of " + scale,
                    "-" + most + " to " + most,
                    "max-scale");
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
