package io.rdmarpc.autoconfigure;

import io.rdmarpc.service.codec.Evolution;
import io.rdmarpc.service.codec.SerializationSettings;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** How arguments and results become bytes. Both sides must have the same format and evolution. */
final class RdmaSerializationProperties implements CheckedSettings {

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

    /** Most elements of one collection, map or array of objects; for 'json', values of a message. */
    private int maxElements = 10000000;

    /** Longest arguments or result. When not set, rdma.max-message-size counts alone. */
    private @Nullable DataSize maxBytes;

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

    public @Nullable DataSize getMaxBytes() {
        return maxBytes;
    }

    public void setMaxBytes(@Nullable DataSize maxBytes) {
        this.maxBytes = maxBytes;
    }

    @Override
    public void check(SettingsCheck check) {
        check.within("maxDepth", maxDepth, 1, 2000, "must be 1 to 2000: 256 suits most");
        check.atLeast("maxElements", maxElements, 1, "must be 1 or more: it bounds what one message can allocate");
        check.bytes(
                "maxBytes", maxBytes, 1024, 1L << 30, "must be 1KB to 1GB: leave it out to take rdma.max-message-size");
    }

    SerializationSettings settings() {
        long bytes = maxBytes == null ? Integer.MAX_VALUE : maxBytes.toBytes();
        return new SerializationSettings(evolution, maxDepth, maxElements, (int) Math.min(Integer.MAX_VALUE, bytes));
    }
}
