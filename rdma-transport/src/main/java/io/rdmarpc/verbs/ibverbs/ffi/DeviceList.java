package io.rdmarpc.verbs.ibverbs.ffi;

import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.DeviceStruct;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;

/** The current devices. The devices can be used until the list is closed. An open device stays valid afterwards. */
public final class DeviceList implements AutoCloseable {

    private final LibIbverbs library;
    private final long pointer;
    private final List<DeviceStruct> devices;

    DeviceList(LibIbverbs library, long pointer, int count) {
        MemorySegment array = CStruct.at(pointer, count * CStruct.POINTER.byteSize());
        this.library = library;
        this.pointer = pointer;
        this.devices = IntStream.range(0, count)
                .mapToObj(i -> DeviceStruct.at(array.getAtIndex(CStruct.POINTER, i)))
                .toList();
    }

    /** Returns the devices in the library's order. */
    public List<DeviceStruct> devices() {
        return devices;
    }

    @Override
    public void close() {
        library.freeDeviceList(pointer);
    }
}
