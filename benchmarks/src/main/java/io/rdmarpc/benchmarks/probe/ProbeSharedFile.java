package io.rdmarpc.benchmarks.probe;

import io.rdmarpc.benchmarks.ChildProcess;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Memory that two processes share: a file in {@code /dev/shm} if it exists, otherwise a temporary file. */
public final class ProbeSharedFile {

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private ProbeSharedFile() {}

    /**
     * Creates a file, waits until the peer has mapped it, and deletes its name, so that it ends with the two processes.
     */
    static MemorySegment share(Arena arena, ChildProcess peer, long bytes) throws IOException {
        Path file = create();
        try {
            MemorySegment memory = map(arena, file, bytes);
            peer.send(file);
            peer.line();
            return memory;
        } finally {
            Files.delete(file);
        }
    }

    /** Maps the file at the peer. */
    static MemorySegment join(Arena arena, ProbeRequests requests, long bytes)
            throws IOException, InterruptedException {
        MemorySegment memory = map(arena, Path.of(requests.next()), bytes);
        requests.respond("mapped");
        return memory;
    }

    /**
     * Creates an empty file.
     *
     * @return its name, which the caller deletes
     * @throws IOException if the file cannot be created
     */
    public static Path create() throws IOException {
        return Files.isDirectory(SHARED_MEMORY)
                ? Files.createTempFile(SHARED_MEMORY, "probe", ".shm")
                : Files.createTempFile("probe", ".shm");
    }

    /**
     * Maps a file.
     *
     * @param arena the arena that keeps the file mapped
     * @param file name of the file, which may be deleted afterwards
     * @param bytes length of the file; a shorter file is extended
     * @return the memory
     * @throws IOException if the file cannot be mapped
     */
    public static MemorySegment map(Arena arena, Path file, long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(MapMode.READ_WRITE, 0, bytes, arena);
        }
    }
}
