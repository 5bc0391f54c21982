package io.rdmarpc.autoconfigure.properties;

import io.rdmarpc.service.codec.Evolution;
import io.rdmarpc.service.codec.SerializationSettings;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of the conversion of arguments and results to bytes. Both sides must have the same format and evolution.
 *
 * @param format Message format: 'kryo' is small and fast, 'json' is readable and needs Jackson 3. A bean of type
 *     RdmaSerializer takes precedence.
 * @param evolution Permitted differences between the classes of two processes: 'none' permits none, 'compatible'
 *     permits added and removed fields.
 * @param maxDepth Maximum nesting depth of the values of a message, 1 to 2000. Cyclic values exceed it. Raising it
 *     uses more of the stack.
 * @param maxElements Maximum elements of all collections, maps and object arrays of a message; for 'json', maximum
 *     values. Raising it lets one message use more memory.
 * @param maxSize Maximum size of the arguments or the result, 1KB to 1GB. Raising it lets one message use more
 *     memory. When not set, only rdma.max-message-size applies.
 * @param maxExpansion Maximum estimated bytes on the heap for each byte of a message, in addition to 1MB for each
 *     message. Raising it lets a peer fill more memory with few bytes.
 * @param maxCollisions Maximum average number of earlier keys with an equal hash code, for each key of the sets and
 *     maps of a message. Raising it lets a peer use more processor time.
 * @param maxScale Maximum scale of a BigDecimal in a message, positive or negative. Raising it permits longer sums: a
 *     sum has as many digits as the scales of its terms differ.
 * @param maxIntegerBits Maximum bits of a BigInteger, or of the unscaled value of a BigDecimal, in a message. Raising
 *     it lets a peer use more processor time.
 */
public record RdmaSerializationProperties(
        @DefaultValue("kryo") MessageFormat format,
        @DefaultValue("none") Evolution evolution,

        @DefaultValue("" + SerializationSettings.DEFAULT_MAX_DEPTH)
        int maxDepth,

        @DefaultValue("" + SerializationSettings.DEFAULT_MAX_ELEMENTS)
        int maxElements,

        @Nullable DataSize maxSize,

        @DefaultValue("" + SerializationSettings.DEFAULT_MAX_EXPANSION)
        int maxExpansion,

        @DefaultValue("" + SerializationSettings.DEFAULT_MAX_COLLISIONS)
        int maxCollisions,

        @DefaultValue("" + SerializationSettings.DEFAULT_MAX_SCALE)
        int maxScale,

        @DefaultValue("" + SerializationSettings.DEFAULT_MAX_INTEGER_BITS)
        int maxIntegerBits)
        implements CheckedSettings {

    @Override
    public void check(SettingsCheck check) {
        check.within("maxDepth", maxDepth, 1, 2000, "must be 1 to 2000: 256 suits most");
        check.atLeast(
                "maxElements", maxElements, 1, "must be 1 or more: it limits the memory that one message can allocate");
        check.bytes(
                "maxSize",
                maxSize,
                1024,
                1L << 30,
                "must be 1KB to 1GB: remove the setting to use rdma.max-message-size");
        check.within("maxExpansion", maxExpansion, 8, 10000, "must be 8 to 10000: 24 suits most");
        check.within("maxCollisions", maxCollisions, 1, 1000000, "must be 1 to 1000000: 64 suits most");
        check.within("maxScale", maxScale, 1, Integer.MAX_VALUE, "must be 1 or more: 10000 suits most");
        check.within("maxIntegerBits", maxIntegerBits, 64, Integer.MAX_VALUE, "must be 64 or more: 65536 suits most");
    }

    /** Returns the limits in the form that codecs use. */
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
