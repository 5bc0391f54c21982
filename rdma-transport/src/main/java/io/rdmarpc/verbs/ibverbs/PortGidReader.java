package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.GidType;
import io.rdmarpc.verbs.ibverbs.ffi.LibIbverbs;
import io.rdmarpc.verbs.ibverbs.ffi.struct.ContextStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.GidEntryStruct;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Reads the GID table of a port: in one call since rdma-core 33, otherwise entry by entry, with the types from sysfs.
 *
 * @param library the library
 * @param context the open device
 * @param device its name
 * @param sysfs its directory in sysfs
 */
record PortGidReader(LibIbverbs library, ContextStruct context, String device, Path sysfs) {

    List<GidEntry> readWhole(int portNumber, int maxEntries) {
        try (Arena arena = Arena.ofConfined()) {
            return library.queryGidTable(arena, context, maxEntries, device, errno -> unreadable()).stream()
                    .filter(entry -> entry.portNumber() == portNumber)
                    .map(GidEntryStruct::toEntry)
                    .sorted(Comparator.comparingInt(GidEntry::index))
                    .toList();
        }
    }

    List<GidEntry> readEntries(int portNumber, int entries) {
        List<GidEntry> used = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(Gid.BYTES, Long.BYTES);
            for (int index = 0; index < entries; index++) {
                library.queryGid(context, portNumber, index, memory).check(device, errno -> unreadable());
                Gid gid = GidEntryStruct.readGid(memory, 0);
                if (!gid.isZero()) {
                    used.add(new GidEntry(index, gid, typeInSysfs(portNumber, index), 0));
                }
            }
        }
        return List.copyOf(used);
    }

    /**
     * Returns the type of an entry. The kernel writes {@code IB/RoCE v1} for two types; the link layer of the port
     * distinguishes them.
     */
    private GidType typeInSysfs(int portNumber, int index) {
        Path file = sysfs.resolve("ports/" + portNumber + "/gid_attrs/types/" + index);
        try {
            return Files.readString(file).startsWith("RoCE v2") ? GidType.ROCE_V2 : ibOrRoceV1(portNumber);
        } catch (IOException e) {
            return GidType.IB;
        }
    }

    private GidType ibOrRoceV1(int portNumber) throws IOException {
        boolean ethernet = Files.readString(sysfs.resolve("ports/" + portNumber + "/link_layer"))
                .startsWith("Ethernet");
        return ethernet ? GidType.ROCE_V1 : GidType.IB;
    }

    private String unreadable() {
        return "The GID table cannot be read; see " + sysfs.resolve("ports");
    }
}
