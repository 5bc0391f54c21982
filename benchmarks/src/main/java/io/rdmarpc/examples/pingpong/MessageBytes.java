package io.rdmarpc.examples.pingpong;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What a message holds, so that {@code --chk} can tell whether it came whole. */
final class MessageBytes {

    private MessageBytes() {}

    static void write(MemorySegment message) {
        for (long i = 0; i < message.byteSize(); i++) {
            message.set(ValueLayout.JAVA_BYTE, i, expected(i));
        }
    }

    static void check(MemorySegment message) {
        for (long i = 0; i < message.byteSize(); i++) {
            byte found = message.get(ValueLayout.JAVA_BYTE, i);
            if (found != expected(i)) {
                throw new IllegalStateException("byte " + i + " of the last message is " + found + ", not "
                        + expected(i) + ". Does the peer write what --chk expects?");
            }
        }
    }

    private static byte expected(long index) {
        return (byte) (index * 31 + (index >> 8));
    }
}
