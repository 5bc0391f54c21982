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

/** Memory that two processes share: a file that has no disk under it where there is {@code /dev/shm}. */
public final class ProbeSharedFile {

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private ProbeSharedFile() {}

    /** Makes one, has the peer map it too, and removes its name: it is gone with the two processes. */
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

    /** The peer's side. */
    static MemorySegment join(Arena arena, ProbeRequests requests, long bytes)
            throws IOException, InterruptedException {
        MemorySegment memory = map(arena, Path.of(requests.next()), bytes);
        requests.answer("mapped");
        return memory;
    }

    /**
     * Makes an empty one.
     *
     * @return its name, to be removed by the caller
     * @throws IOException when that fails
     */
    public static Path create() throws IOException {
        return Files.isDirectory(SHARED_MEMORY)
                ? Files.createTempFile(SHARED_MEMORY, "probe", ".shm")
                : Files.createTempFile("probe", ".shm");
    }

    /**
     * Maps one.
     *
     * @param arena how long it stays mapped
     * @param file its name, which may be removed afterwards
     * @param bytes its length; what is missing is appended
     * @return the memory
     * @throws IOException when that fails
     */
    public static MemorySegment map(Arena arena, Path file, long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(MapMode.READ_WRITE, 0, bytes, arena);
        }
    }
}
