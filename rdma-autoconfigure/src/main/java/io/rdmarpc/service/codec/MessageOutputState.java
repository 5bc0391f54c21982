package io.rdmarpc.service.codec;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.message.MessageAllocator;
import io.rdmarpc.service.concurrent.LeadingPadding;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The fields of a {@link MessageOutput} that every message writes. */
abstract class MessageOutputState extends LeadingPadding {

    /**
     * Kept for the next message, which usually has the same allocator. Storing a reference costs a barrier with G1.
     */
    @Nullable
    MessageAllocator allocator;

    @Nullable
    MessageBuffer message;

    int at;
    int capacity;

    /** Created on demand. Once it exists, its position replaces {@link #at}. */
    @Nullable
    ByteBuffer view;

    int headBytes;
}
