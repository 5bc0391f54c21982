package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.ffi.MemFd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * A mapped file, with a name or without. Its pages are there before anybody uses them: a full file system is an exception now,
 * not a fault later.
 */
final class SharedFile implements AutoCloseable {

    private static final int BLOCK_BYTES = 64 << 10;
    private static final Set<StandardOpenOption> BOTH_WAYS = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final Set<StandardOpenOption> NEW_FILE =
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);

    private final Arena arena;
    private final MemorySegment memory;

    private SharedFile(Arena arena, MemorySegment memory) {
        this.arena = arena;
        this.memory = memory;
    }

    /** Makes a file of zeros. */
    static SharedFile create(Path path, long bytes) throws IOException {
        return untilDone(() -> {
            try (FileChannel channel = FileChannel.open(path, NEW_FILE)) {
                fill(channel, bytes);
                return map(channel, bytes);
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

    /** Maps a file that another process has made. */
    static SharedFile open(Path path) throws IOException {
        return untilDone(() -> {
            try (FileChannel channel = FileChannel.open(path, BOTH_WAYS)) {
                return map(channel, channel.size());
            }
        });
    }

    /** Maps a file that another process has made for this one only: nobody else can open it from now on, and shorten it. */
    static SharedFile takeOver(Path path) throws IOException {
        SharedFile taken = open(path);
        try {
            Files.delete(path);
            return taken;
        } catch (IOException e) {
            taken.close();
            throw e;
        }
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

    /** Maps memory without a name. */
    static SharedFile of(MemFd file) throws IOException {
        Arena arena = Arena.ofShared();
        try {
            return new SharedFile(arena, file.mapAtOnce(arena));
        } catch (IOException e) {
            arena.close();
            throw e;
        }
    }

    private static SharedFile map(FileChannel channel, long bytes) throws IOException {
        Arena arena = Arena.ofShared();
        try {
            return new SharedFile(arena, channel.map(MapMode.READ_WRITE, 0, bytes, arena));
        } catch (IOException e) {
            arena.close();
            throw e;
        }
    }

    MemorySegment memory() {
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
