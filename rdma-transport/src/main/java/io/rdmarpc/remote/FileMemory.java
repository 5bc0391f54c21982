package io.rdmarpc.remote;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.RdmaNode;
import io.rdmarpc.remote.RemoteMemoryException.Reason;
import io.rdmarpc.verbs.AccessFlag;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * Makes files memory that peers may read. Writing is for files that live in memory only: a file system on a disk does not
 * notice what a device writes into its pages, and loses it.
 */
final class FileMemory {

    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "hugetlbfs");

    private FileMemory() {}

    static LocalRegion map(RdmaNode node, Path file, boolean writable) {
        Arena arena = Arena.ofShared();
        LocalRegion region = null;
        try {
            if (writable) {
                checkInMemory(file);
            }
            MemorySegment memory = map(arena, file, writable);
            region = writable ? node.register(memory, AccessFlag.LOCAL_WRITE) : node.register(memory);
            var _ = region.released().thenRun(arena::close);
            return region;
        } catch (IOException e) {
            throw new RemoteMemoryException(
                    Reason.FILE,
                    "The file " + file + " cannot be mapped" + (writable ? " for writing" : "") + ": " + e
                            + ". Check that it is there and may be opened.",
                    e);
        } finally {
            if (region == null) {
                arena.close();
            }
        }
    }

    private static void checkInMemory(Path file) throws IOException {
        String type = Files.getFileStore(file).type();
        if (!IN_MEMORY.contains(type)) {
            throw new RemoteMemoryException(
                    Reason.FILE,
                    "The file " + file + " is on " + type + ": what a device writes there can be lost. Grant it for"
                            + " reading, or put it on tmpfs or hugetlbfs, such as /dev/shm.");
        }
    }

    private static MemorySegment map(Arena arena, Path file, boolean writable) throws IOException {
        OpenOption[] options = writable
                ? new OpenOption[] {StandardOpenOption.READ, StandardOpenOption.WRITE}
                : new OpenOption[] {StandardOpenOption.READ};
        try (FileChannel channel = FileChannel.open(file, options)) {
            if (channel.size() == 0) {
                throw new IOException("it is empty");
            }
            return channel.map(writable ? MapMode.READ_WRITE : MapMode.READ_ONLY, 0, channel.size(), arena);
        }
    }
}
