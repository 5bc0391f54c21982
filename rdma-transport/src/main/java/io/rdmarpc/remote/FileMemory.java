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
 * Makes files memory that peers may read. Writing is for files that live in memory only: a file system on a disk does not
 * notice what a device writes into its pages, and loses it.
 *
 * <p>Linux before 6.2 pins memory for a device as if it were to be written, which it refuses for a mapping that is for
 * reading only (EFAULT by ib_umem_get). Such a file is mapped for writing then, so that it can be pinned, and used for
 * reading all the same, by this program and by devices. A private mapping could be pinned too, but as a copy: peers
 * would not see what the file has later.
 */
final class FileMemory {

    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "hugetlbfs");

    /** Makes memory known to a device. */
    interface Registering {
        LocalRegion register(MemorySegment memory, AccessFlag... rights);
    }

    private FileMemory() {}

    static LocalRegion map(Registering device, Path file, boolean writable) {
        try {
            return writable ? toWrite(device, file) : toRead(device, file);
        } catch (IOException e) {
            throw new RdmaRemoteMemoryException(
                    Reason.FILE,
                    "The file " + file + " cannot be mapped" + (writable ? " for writing" : "") + ": " + e
                            + ". Check that it is there and may be opened.",
                    e);
        }
    }

    private static LocalRegion toWrite(Registering device, Path file) throws IOException {
        checkInMemory(file);
        return map(file, MapMode.READ_WRITE, memory -> device.register(memory, AccessFlag.LOCAL_WRITE));
    }

    private static void checkInMemory(Path file) throws IOException {
        String type = Files.getFileStore(file).type();
        if (!IN_MEMORY.contains(type)) {
            throw new RdmaRemoteMemoryException(
                    Reason.FILE,
                    "The file " + file + " is on " + type + ": what a device writes there can be lost. Grant it for"
                            + " reading, or put it on tmpfs or hugetlbfs, such as /dev/shm.");
        }
    }

    private static LocalRegion toRead(Registering device, Path file) throws IOException {
        try {
            return map(file, MapMode.READ_ONLY, device::register);
        } catch (RdmaVerbsException e) {
            if (e.errno() != Errno.EFAULT) {
                throw e;
            }
            return toReadMappedForWriting(device, file);
        }
    }

    private static LocalRegion toReadMappedForWriting(Registering device, Path file) {
        try {
            return map(file, MapMode.READ_WRITE, memory -> device.register(memory.asReadOnly()));
        } catch (IOException e) {
            throw new RdmaRemoteMemoryException(
                    Reason.FILE,
                    "The file " + file + " cannot be granted for reading: Linux before 6.2, and this is "
                            + System.getProperty("os.version")
                            + ", gives no device a file that may not be opened for writing too: " + e
                            + ". Let this process write it, copy it, or use a newer kernel.",
                    e);
        }
    }

    private static LocalRegion map(Path file, MapMode mode, Function<MemorySegment, LocalRegion> registering)
            throws IOException {
        Arena arena = Arena.ofShared();
        LocalRegion region = null;
        try {
            region = registering.apply(map(arena, file, mode));
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
                throw new IOException("it is empty");
            }
            return channel.map(mode, 0, channel.size(), arena);
        }
    }
}
