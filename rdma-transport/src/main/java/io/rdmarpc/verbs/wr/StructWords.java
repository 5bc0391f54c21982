package io.rdmarpc.verbs.wr;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The words of C structs, cached in a Java array: the JIT compiler optimizes array accesses better than native
 * accesses. {@link #writeOut} copies the array to native memory before a device reads it. {@link #readIn} copies native
 * memory to the array after a device has written it.
 */
final class StructWords {

    private static final int SHIFT = 2;
    private static final int LOW = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 0 : 1;
    private static final int HIGH = 1 - LOW;

    private final MemorySegment memory;
    private final int[] words;

    /** Creates the array for memory that is all zero. */
    StructWords(MemorySegment memory) {
        this.memory = memory;
        this.words = new int[Math.toIntExact(memory.byteSize() >> SHIFT)];
    }

    long address() {
        return memory.address();
    }

    void setInt(int at, int value) {
        words[at >> SHIFT] = value;
    }

    int getInt(int at) {
        return words[at >> SHIFT];
    }

    void setLong(int at, long value) {
        words[(at >> SHIFT) + LOW] = (int) value;
        words[(at >> SHIFT) + HIGH] = (int) (value >>> Integer.SIZE);
    }

    long getLong(int at) {
        return Integer.toUnsignedLong(words[(at >> SHIFT) + LOW]) | (long) words[(at >> SHIFT) + HIGH] << Integer.SIZE;
    }

    /** Sets four bytes in network order. */
    void setNetworkInt(int at, int value) {
        setInt(at, LOW == 0 ? Integer.reverseBytes(value) : value);
    }

    int getNetworkInt(int at) {
        return LOW == 0 ? Integer.reverseBytes(getInt(at)) : getInt(at);
    }

    /** Copies a part of the array to native memory. */
    void writeOut(int at, int bytes) {
        MemorySegment.copy(words, at >> SHIFT, memory, ValueLayout.JAVA_INT, at, bytes >> SHIFT);
    }

    /** Copies the beginning of native memory to the array. */
    void readIn(int bytes) {
        MemorySegment.copy(memory, ValueLayout.JAVA_INT, 0, words, 0, bytes >> SHIFT);
    }
}
