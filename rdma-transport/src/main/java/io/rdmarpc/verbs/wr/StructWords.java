package io.rdmarpc.verbs.wr;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * C structs as they are in memory, kept in an array: to set and get a field of an array costs the compiler far less than a
 * place outside of the heap. The memory is written when a device is to see it, and read when a device has filled it.
 */
final class StructWords {

    private static final int SHIFT = 2;
    private static final int LOW = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 0 : 1;
    private static final int HIGH = 1 - LOW;

    private final MemorySegment memory;
    private final int[] words;

    /** Both are all zero at first. */
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

    /** Sets four bytes that travel in network order. */
    void setNetworkInt(int at, int value) {
        setInt(at, LOW == 0 ? Integer.reverseBytes(value) : value);
    }

    int getNetworkInt(int at) {
        return LOW == 0 ? Integer.reverseBytes(getInt(at)) : getInt(at);
    }

    /** Writes the memory. */
    void writeOut(int at, int bytes) {
        MemorySegment.copy(words, at >> SHIFT, memory, ValueLayout.JAVA_INT, at, bytes >> SHIFT);
    }

    /** Reads the memory. */
    void readIn(int bytes) {
        MemorySegment.copy(memory, ValueLayout.JAVA_INT, 0, words, 0, bytes >> SHIFT);
    }
}
