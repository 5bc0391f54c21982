package io.rdmarpc.service.codec;

import io.rdmarpc.service.concurrent.LeadingPadding;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The fields of a {@link MessageInput} that every message writes. */
abstract class MessageInputState extends LeadingPadding {

    /** Kept for the next message, which usually has the same memory. Storing a reference costs a barrier with G1. */
    MemorySegment memory = MemorySegment.NULL;

    /** Offset of the message in the memory. Its bytes end at {@link #end}. */
    long begin;

    int at;
    int end;

    /** Created on demand. Once it exists, its position replaces {@link #at}. */
    @Nullable
    ByteBuffer view;
}
