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
 * A mapped file, with a name or without. Its pages are there before anybody uses them: a full file system is an exception now,
 * not a fault later.
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

    /** Makes a file of zeros. */
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
     * Gives a file its size and zeros again: processes that have mapped it can access all of it from now on, unless it is shortened
     * once more.
     *
     * @throws IOException when the file has gone or there is no room
     */
    static void restore(Path path, long bytes) throws IOException {
        try (SharedFile _ = untilDone(() -> {
            try (FileChannel channel = FileChannel.open(path, BOTH_WAYS)) {
                fill(channel, bytes);
                return map(channel, MapMode.READ_WRITE, bytes);
            }
        })) {
            // It is mapped elsewhere.
        }
    }

    /**
     * Maps a file that another process has made, for reading.
     *
     * @param bytes the size that it has if it makes sense
     * @throws IOException when it has another one, or cannot be mapped
     */
    static SharedFile openForReading(Path path, long bytes) throws IOException {
        return open(path, READING, MapMode.READ_ONLY, found -> found == bytes);
    }

    /**
     * Maps a file that another process has made for this one only. No other process finds it from now on, but one that has opened it
     * before can still shorten it.
     *
     * @param fits returns whether a size makes sense
     * @throws IOException when it does not, or the file cannot be mapped
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
                    throw new IOException(path + " of " + bytes + " bytes is not mapped");
                }
                return map(channel, mode, bytes);
            }
        });
    }

    /**
     * Channels of files close when their thread is interrupted. Whoever polls may be, for reasons of its own; a ring must not
     * be lost by that.
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

    /** May be tried again. */
    @FunctionalInterface
    private interface Opening {
        SharedFile run() throws IOException;
    }

    /** Maps own memory without a name, all of it at once. */
    public static SharedFile made(MemFd file) throws IOException {
        return map(file::mapAtOnce);
    }

    /** Maps memory that a peer has made. A page of it comes when it is touched first. */
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

    /** Maps something until an arena ends. */
    @FunctionalInterface
    private interface Mapping {
        MemorySegment map(Arena arena) throws IOException;
    }

    public MemorySegment memory() {
        return memory;
    }

    /** Ends the mapping; a second call does nothing. The file stays. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
