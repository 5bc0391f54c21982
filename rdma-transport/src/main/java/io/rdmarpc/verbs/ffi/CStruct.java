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
 * Builds struct layouts with the padding a C compiler puts in, from the members in the order of the header. A layout
 * has the name of its C struct and its members those of the fields, so that a test can ask the C compiler about each.
 */
public final class CStruct {

    public static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    public static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT;
    public static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT;
    public static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG;

    /** Pointers are kept as numbers: they go back to C and are looked through in a few places only. */
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

    /** Fields that are not used here; they take their place only. */
    public static MemoryLayout unused(long bytes) {
        return MemoryLayout.paddingLayout(bytes);
    }

    public static MemoryLayout chars(String name, long length) {
        return MemoryLayout.sequenceLayout(length, U8).withName(name);
    }

    /** The offset of a field, or of a field of a nested struct. */
    public static long offset(StructLayout struct, String... path) {
        PathElement[] elements = new PathElement[path.length];
        for (int i = 0; i < path.length; i++) {
            elements[i] = PathElement.groupElement(path[i]);
        }
        return struct.byteOffset(elements);
    }

    /** The memory a pointer from the library points to. */
    @SuppressWarnings("restricted") // The library says what is there; the layout test says how long it is.
    public static MemorySegment at(long pointer, long bytes) {
        return MemorySegment.ofAddress(pointer).reinterpret(bytes);
    }

    /** Fails on machines where pointers and longs differ: the layouts are those of 64-bit Linux. */
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
