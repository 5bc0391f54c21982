package io.rdmarpc.autoconfigure.properties;

import io.rdmarpc.service.codec.Evolution;
import io.rdmarpc.service.codec.SerializationSettings;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** How arguments and results become bytes. Both sides must have the same format and evolution. */
public final class RdmaSerializationProperties implements CheckedSettings {

    /**
     * Format of messages: 'kryo' is small and fast, 'json' is readable and needs Jackson 3. A bean of type
     * RdmaSerializer is used instead.
     */
    private MessageFormat format = MessageFormat.KRYO;

    /**
     * How far the classes of two processes may differ: 'none' not at all, 'compatible' lets fields be added and
     * removed.
     */
    private Evolution evolution = Evolution.NONE;

    /** Most values within values of a message, 1 to 2000. A cyclic value ends here. */
    private int maxDepth = 256;

    /** Maximum elements of all collections, maps and arrays of objects of a message; for 'json', its values. */
    private int maxElements = 10000000;

    /** Longest arguments or result. When not set, rdma.max-message-size counts alone. */
    private @Nullable DataSize maxSize;

    /**
     * Maximum bytes on the heap, as estimated, for each byte of a message, in addition to 1 MiB for any message. A peer
     * can fill more memory with few bytes where it is higher.
     */
    private int maxExpansion = 24;

    /**
     * Maximum earlier keys with an equal hash code for each key of the sets and maps of a message, on average. A peer can
     * keep a CPU busy for longer where it is higher.
     */
    private int maxCollisions = 64;

    /**
     * Maximum scale of a BigDecimal in a message, positive or negative. Sums of numbers have as many digits as their
     * scales differ.
     */
    private int maxScale = 10000;

    /** Maximum bits of a BigInteger, or of the unscaled value of a BigDecimal, in a message. */
    private int maxIntegerBits = 65536;

    public MessageFormat getFormat() {
        return format;
    }

    public void setFormat(MessageFormat format) {
        this.format = format;
    }

    public Evolution getEvolution() {
        return evolution;
    }

    public void setEvolution(Evolution evolution) {
        this.evolution = evolution;
    }

    public int getMaxDepth() {
        return maxDepth;
    }

    public void setMaxDepth(int maxDepth) {
        this.maxDepth = maxDepth;
    }

    public int getMaxElements() {
        return maxElements;
    }

    public void setMaxElements(int maxElements) {
        this.maxElements = maxElements;
    }

    public @Nullable DataSize getMaxSize() {
        return maxSize;
    }

    public void setMaxSize(@Nullable DataSize maxSize) {
        this.maxSize = maxSize;
    }

    public int getMaxExpansion() {
        return maxExpansion;
    }

    public void setMaxExpansion(int maxExpansion) {
        this.maxExpansion = maxExpansion;
    }

    public int getMaxCollisions() {
        return maxCollisions;
    }

    public void setMaxCollisions(int maxCollisions) {
        this.maxCollisions = maxCollisions;
    }

    public int getMaxScale() {
        return maxScale;
    }

    public void setMaxScale(int maxScale) {
        this.maxScale = maxScale;
    }

    public int getMaxIntegerBits() {
        return maxIntegerBits;
    }

    public void setMaxIntegerBits(int maxIntegerBits) {
        this.maxIntegerBits = maxIntegerBits;
    }

    @Override
    public void check(SettingsCheck check) {
        check.within("maxDepth", maxDepth, 1, 2000, "must be 1 to 2000: 256 suits most");
        check.atLeast("maxElements", maxElements, 1, "must be 1 or more: it bounds what one message can allocate");
        check.bytes(
                "maxSize", maxSize, 1024, 1L << 30, "must be 1KB to 1GB: leave it out to take rdma.max-message-size");
        check.within("maxExpansion", maxExpansion, 8, 10000, "must be 8 to 10000: 24 suits most");
        check.within("maxCollisions", maxCollisions, 1, 1000000, "must be 1 to 1000000: 64 suits most");
        check.within("maxScale", maxScale, 1, Integer.MAX_VALUE, "must be 1 or more: 10000 suits most");
        check.within("maxIntegerBits", maxIntegerBits, 64, Integer.MAX_VALUE, "must be 64 or more: 65536 suits most");
    }

    public SerializationSettings settings() {
        long bytes = maxSize == null ? Integer.MAX_VALUE : maxSize.toBytes();
        return new SerializationSettings(
                evolution,
                maxDepth,
                maxElements,
                (int) Math.min(Integer.MAX_VALUE, bytes),
                maxExpansion,
                maxCollisions,
                maxScale,
                maxIntegerBits);
    }
}
