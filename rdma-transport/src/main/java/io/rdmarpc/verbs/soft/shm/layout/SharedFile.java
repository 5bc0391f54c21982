package io.rdmarpc.verbs.soft.shm.layout;

import io.rdmarpc.verbs.soft.ffi.MemFd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.function.LongPredicate;

/**
 * A mapped file or mapped anonymous memory. A created file has all its blocks, so that a full file system causes an
 * exception at creation instead of a fault later.
 */
public final class SharedFile implements AutoCloseable {

    private static final int BLOCK_BYTES = 64 << 10;
    private static final Set<OpenOption> BOTH_WAYS =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> READING = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    private static final Set<StandardOpenOption> NEW_FILE =
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);

    private final Arena arena;
    private final MemorySegment memory;

    private SharedFile(Arena arena, MemorySegment memory) {
        this.arena = arena;
        this.memory = memory;
    }

    /** Creates a file of zeros. */
    public static SharedFile create(Path path, long bytes) throws IOException {
        return untilDone(() -> {
            try (FileChannel channel = FileChannel.open(path, NEW_FILE)) {
                fill(channel, bytes);
                return map(channel, MapMode.READ_WRITE, bytes);
            } catch (ClosedByInterruptException e) {
                Files.delete(path);
                throw e;
            }
        });
    }

    private static void fill(FileChannel channel, long bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(BLOCK_BYTES);
        for (long at = 0; at < bytes; ) {
            at += channel.write(zeros.clear().limit((int) Math.min(BLOCK_BYTES, bytes - at)), at);
        }
    }

    /**
     * Restores the size of a file, with zeros. Processes that have mapped the file can access all of it again, unless
     * it is shortened once more.
     *
     * @throws IOException if the file no longer exists or there is no room
     */
    static void restore(Path path, long bytes) throws IOException {
        try (SharedFile _ = untilDone(() -> {
            try (FileChannel channel = FileChannel.open(path, BOTH_WAYS)) {
                fill(channel, bytes);
                return map(channel, MapMode.READ_WRITE, bytes);
            }
        })) {
            // This mapping is not needed.
        }
    }

    /**
     * Maps a file of another process for reading.
     *
     * @param bytes the required size
     * @throws IOException if the size differs, or the file cannot be mapped
     */
    static SharedFile openForReading(Path path, long bytes) throws IOException {
        return open(path, READING, MapMode.READ_ONLY, found -> found == bytes);
    }

    /**
     * Maps a file of another process and deletes it. No other process can open it from then on, but one that opened it
     * before can still shorten it.
     *
     * @param fits returns whether a size is valid
     * @throws IOException if the size is invalid, or the file cannot be mapped
     */
    public static SharedFile takeOver(Path path, LongPredicate fits) throws IOException {
        try {
            return open(path, BOTH_WAYS, MapMode.READ_WRITE, fits);
        } finally {
            Files.delete(path);
        }
    }

    private static SharedFile open(Path path, Set<OpenOption> options, MapMode mode, LongPredicate fits)
            throws IOException {
        return untilDone(() -> {
            try (FileChannel channel = FileChannel.open(path, options)) {
                long bytes = channel.size();
                if (!fits.test(bytes)) {
                    throw new IOException("cannot map " + path + ": its size of " + bytes + " bytes is not expected");
                }
                return map(channel, mode, bytes);
            }
        });
    }

    /**
     * Repeats an operation that an interrupt has ended. An interrupt of a thread closes the file channel that it uses,
     * and a polling thread may be interrupted for other reasons. A ring must not be lost by that.
     */
    private static SharedFile untilDone(Opening opening) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return opening.run();
                } catch (ClosedByInterruptException e) {
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** An operation that can be repeated. */
    @FunctionalInterface
    private interface Opening {
        SharedFile run() throws IOException;
    }

    /** Maps local anonymous memory, and populates it. */
    public static SharedFile made(MemFd file) throws IOException {
        return map(file::mapPopulated);
    }

    /** Maps memory of a peer. The kernel maps a page at the first access. */
    public static SharedFile received(MemFd file) throws IOException {
        return map(arena -> file.map(arena, () -> {}));
    }

    private static SharedFile map(FileChannel channel, MapMode mode, long bytes) throws IOException {
        return map(arena -> channel.map(mode, 0, bytes, arena));
    }

    private static SharedFile map(Mapping mapping) throws IOException {
        Arena arena = Arena.ofShared();
        try {
            return new SharedFile(arena, mapping.map(arena));
        } catch (IOException e) {
            arena.close();
            throw e;
        }
    }

    /** Maps memory for the life of an arena. */
    @FunctionalInterface
    private interface Mapping {
        MemorySegment map(Arena arena) throws IOException;
    }

    public MemorySegment memory() {
        return memory;
    }

    /** Unmaps the memory; a second call does nothing. The file stays. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
