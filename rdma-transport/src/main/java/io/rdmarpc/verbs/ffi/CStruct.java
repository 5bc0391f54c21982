package io.rdmarpc.verbs.ffi;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds struct layouts from members in the order of the header, with the padding of a C compiler. A layout has the
 * name of its C struct, and its members have the names of the fields. A test compares each of them with the C compiler.
 */
public final class CStruct {

    public static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    public static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT;
    public static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT;
    public static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG;

    /** Pointers are numbers. Most are only passed back to C; few are dereferenced in Java. */
    public static final ValueLayout.OfLong POINTER = ValueLayout.JAVA_LONG;

    private CStruct() {}

    public static StructLayout struct(String name, MemoryLayout... members) {
        List<MemoryLayout> padded = new ArrayList<>();
        long offset = 0;
        long alignment = 1;
        for (MemoryLayout member : members) {
            offset = pad(padded, offset, member.byteAlignment()) + member.byteSize();
            padded.add(member);
            alignment = Math.max(alignment, member.byteAlignment());
        }
        pad(padded, offset, alignment);
        return MemoryLayout.structLayout(padded.toArray(MemoryLayout[]::new)).withName(name);
    }

    /** Returns the layout of fields that this library does not use. */
    public static MemoryLayout unused(long bytes) {
        return MemoryLayout.paddingLayout(bytes);
    }

    public static MemoryLayout chars(String name, long length) {
        return MemoryLayout.sequenceLayout(length, U8).withName(name);
    }

    /** Returns the offset of a field, or of a field of a nested struct. */
    public static long offset(StructLayout struct, String... path) {
        PathElement[] elements = new PathElement[path.length];
        for (int i = 0; i < path.length; i++) {
            elements[i] = PathElement.groupElement(path[i]);
        }
        return struct.byteOffset(elements);
    }

    /** Returns the memory at a pointer that the library returned. */
    @SuppressWarnings("restricted") // The library defines the content; the layout test verifies the length.
    public static MemorySegment at(long pointer, long bytes) {
        return MemorySegment.ofAddress(pointer).reinterpret(bytes);
    }

    /** Returns whether pointers and longs have the same size. The layouts are those of 64-bit Linux. */
    public static boolean fitsThisMachine() {
        return AddressLayout.ADDRESS.byteSize() == POINTER.byteSize();
    }

    private static long pad(List<MemoryLayout> members, long offset, long alignment) {
        long gap = -offset & (alignment - 1);
        if (gap > 0) {
            members.add(MemoryLayout.paddingLayout(gap));
        }
        return offset + gap;
    }
}
