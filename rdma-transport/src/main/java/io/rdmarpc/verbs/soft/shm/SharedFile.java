package io.rdmarpc.verbs.soft.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** A mapped file. Its pages are there before anybody uses them: a full file system is an exception now, not a fault later. */
final class SharedFile implements AutoCloseable {

    private static final int BLOCK_BYTES = 64 << 10;
    private static final Set<StandardOpenOption> NEW_FILE =
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);

    private final Path path;
    private final Arena arena;
    private final MemorySegment memory;

    private SharedFile(Path path, Arena arena, MemorySegment memory) {
        this.path = path;
        this.arena = arena;
        this.memory = memory;
    }

    /** Makes a file of zeros. */
    static SharedFile create(Path path, long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(path, NEW_FILE)) {
            fill(channel, bytes);
            return map(path, channel, MapMode.READ_WRITE);
        }
    }

    /** Makes a file of zeros whose mapping belongs to an arena. */
    static MemorySegment createIn(Arena arena, Path path, long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(path, NEW_FILE)) {
            fill(channel, bytes);
            return channel.map(MapMode.READ_WRITE, 0, bytes, arena);
        }
    }

    private static void fill(FileChannel channel, long bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(BLOCK_BYTES);
        for (long at = 0; at < bytes; ) {
            at += channel.write(zeros.clear().limit((int) Math.min(BLOCK_BYTES, bytes - at)), at);
        }
    }

    /** Maps a file that another process has made. */
    static SharedFile open(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE))) {
            return map(path, channel, MapMode.READ_WRITE);
        }
    }

    /** Maps a file that another process has made, not to be written here. */
    static SharedFile openToRead(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            return map(path, channel, MapMode.READ_ONLY);
        }
    }

    private static SharedFile map(Path path, FileChannel channel, MapMode mode) throws IOException {
        Arena arena = Arena.ofShared();
        try {
            return new SharedFile(path, arena, channel.map(mode, 0, channel.size(), arena));
        } catch (IOException e) {
            arena.close();
            throw e;
        }
    }

    Path path() {
        return path;
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
