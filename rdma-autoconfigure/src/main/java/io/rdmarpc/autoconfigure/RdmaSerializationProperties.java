package io.rdmarpc.autoconfigure;

import io.rdmarpc.service.codec.Evolution;
import io.rdmarpc.service.codec.SerializationSettings;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How arguments and results become bytes. Both sides must have the same format and evolution.
 *
 * @param format Format of messages: 'kryo' is small and fast, 'json' is readable and needs Jackson 3. A bean of type
 *     RdmaSerializer is used instead.
 * @param evolution How far the classes of two processes may differ: 'none' not at all, 'compatible' lets fields be added and
 *     removed.
 * @param maxDepth Most values within values of a message, 1 to 2000. A cyclic value ends here.
 * @param maxElements Most elements of one collection, map or array of objects; for 'json', values of a message.
 * @param maxBytes Longest arguments or result. When not set, rdma.max-message-size counts alone.
 */
public record RdmaSerializationProperties(
        @DefaultValue("kryo") MessageFormat format,
        @DefaultValue("none") Evolution evolution,

        @DefaultValue("256")
        @Min(value = 1, message = "must be 1 to 2000: 256 suits most")
        @Max(value = 2000, message = "must be 1 to 2000: more does not fit the stack of a thread; 256 suits most")
        int maxDepth,

        @DefaultValue("10000000")
        @Min(value = 1, message = "must be 1 or more: it bounds what one message can allocate")
        int maxElements,

        @ByteSize(
                min = 1024,
                max = 1L << 30,
                message = "must be 1KB to 1GB: leave it out to take rdma.max-message-size")
        @Nullable
        DataSize maxBytes) {

    SerializationSettings settings() {
        long bytes = maxBytes == null ? Integer.MAX_VALUE : maxBytes.toBytes();
        return new SerializationSettings(evolution, maxDepth, maxElements, (int) Math.min(Integer.MAX_VALUE, bytes));
    }
}
