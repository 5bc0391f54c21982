package io.rdmarpc.remote;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
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
import java.util.function.Function;

/**
 * Maps and registers files that peers may access. Writable files must be on a file system in memory. A file system on a
 * disk does not track pages that a device writes, and would lose the data.
 *
 * <p>Linux before 6.2 pins device memory with write access, which fails with EFAULT for a read-only mapping
 * (ib_umem_get). Such a file is mapped writable instead, and registered for reading only. A private mapping could be
 * pinned, but as a copy, so that peers would not see later changes of the file.
 */
final class FileMemory {

    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "hugetlbfs");

    /** Registers memory with a device. */
    interface Registrar {
        LocalRegion register(MemorySegment memory, AccessFlag... rights);
    }

    private FileMemory() {}

    static LocalRegion map(Registrar device, Path file, boolean writable) {
        try {
            return writable ? mapWritable(device, file) : mapReadOnly(device, file);
        } catch (IOException e) {
            throw new RdmaRemoteMemoryException(
                    Reason.FILE,
                    "Mapping the file " + file + (writable ? " for writing" : " for reading") + " failed: " + e
                            + ". Check that it exists and that this process may open it.",
                    e);
        }
    }

    private static LocalRegion mapWritable(Registrar device, Path file) throws IOException {
        checkInMemory(file);
        return map(file, MapMode.READ_WRITE, memory -> device.register(memory, AccessFlag.LOCAL_WRITE));
    }

    private static void checkInMemory(Path file) throws IOException {
        String type = Files.getFileStore(file).type();
        if (!IN_MEMORY.contains(type)) {
            throw new RdmaRemoteMemoryException(
                    Reason.FILE,
                    "The file " + file + " is on " + type + ", where data that a device writes can be lost. Map it for"
                            + " reading only, or move it to tmpfs or hugetlbfs, such as /dev/shm.");
        }
    }

    private static LocalRegion mapReadOnly(Registrar device, Path file) throws IOException {
        try {
            return map(file, MapMode.READ_ONLY, device::register);
        } catch (RdmaVerbsException e) {
            if (e.errno() != Errno.EFAULT) {
                throw e;
            }
            return mapReadOnlyWithWritableMapping(device, file);
        }
    }

    private static LocalRegion mapReadOnlyWithWritableMapping(Registrar device, Path file) {
        try {
            return map(file, MapMode.READ_WRITE, memory -> device.register(memory.asReadOnly()));
        } catch (IOException e) {
            throw new RdmaRemoteMemoryException(
                    Reason.FILE,
                    "The file " + file + " cannot be registered for reading: Linux before 6.2 (this is "
                            + System.getProperty("os.version")
                            + ") needs a file that this process may also open for writing: " + e
                            + ". Give this process write permission, copy the file, or use a newer kernel.",
                    e);
        }
    }

    private static LocalRegion map(Path file, MapMode mode, Function<MemorySegment, LocalRegion> registration)
            throws IOException {
        Arena arena = Arena.ofShared();
        LocalRegion region = null;
        try {
            region = registration.apply(map(arena, file, mode));
            var _ = region.released().thenRun(arena::close);
            return region;
        } finally {
            if (region == null) {
                arena.close();
            }
        }
    }

    private static MemorySegment map(Arena arena, Path file, MapMode mode) throws IOException {
        OpenOption[] options = mode.equals(MapMode.READ_WRITE)
                ? new OpenOption[] {StandardOpenOption.READ, StandardOpenOption.WRITE}
                : new OpenOption[] {StandardOpenOption.READ};
        try (FileChannel channel = FileChannel.open(file, options)) {
            if (channel.size() == 0) {
                throw new IOException("the file is empty");
            }
            return channel.map(mode, 0, channel.size(), arena);
        }
    }
}
