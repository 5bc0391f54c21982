package io.rdmarpc.examples.pingpong;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Content of a message, by which {@code --chk} detects a corrupt message. */
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
                        + expected(i) + ". Only Java peers write the pattern that --chk expects");
            }
        }
    }

    private static byte expected(long index) {
        return (byte) (index * 31 + (index >> 8));
    }
}
