package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.soft.link.PacketLink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** A separate directory in shared memory, so that tests do not interfere with other processes or their files. */
public final class SharedDirectory implements AutoCloseable {

    private static final int SMALL_RING = SharedMemoryOptions.DEFAULT_RING_BYTES;

    private final Path path;
    private final boolean passesMemory;

    private SharedDirectory(Path path, boolean passesMemory) {
        this.path = path;
        this.passesMemory = passesMemory;
    }

    /** Creates a directory. */
    public static SharedDirectory create() throws IOException {
        return create(NativeAccess.isGranted());
    }

    /** Creates a directory for links that pass anonymous memory, or that use files as without native access. */
    public static SharedDirectory create(boolean passesMemory) throws IOException {
        return new SharedDirectory(Files.createTempDirectory(Path.of("/dev/shm"), "rdma-rpc-test-"), passesMemory);
    }

    /** Opens the directory that another process has created. */
    public static SharedDirectory at(String path) {
        return new SharedDirectory(Path.of(path), NativeAccess.isGranted());
    }

    public Path path() {
        return path;
    }

    /** Wraps a link, which then reaches peers in this directory through memory. */
    public HostLink around(PacketLink udp, InetAddress... addresses) {
        return around(udp, SMALL_RING, addresses);
    }

    HostLink around(PacketLink udp, int ringBytes, InetAddress... addresses) {
        return around(udp, ringBytes, System::nanoTime, addresses);
    }

    /** Wraps a link with a clock for its periodic work. */
    public HostLink around(PacketLink udp, LongSupplier clock, InetAddress... addresses) {
        return around(udp, SMALL_RING, clock, addresses);
    }

    HostLink around(PacketLink udp, int ringBytes, LongSupplier clock, InetAddress... addresses) {
        return around(udp, new SharedMemoryOptions(true, ringBytes), clock, addresses);
    }

    HostLink around(PacketLink udp, SharedMemoryOptions options, LongSupplier clock, InetAddress... addresses) {
        try {
            return HostLink.open(udp, List.of(addresses), options, path, passesMemory, clock);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns all files in it, without directories. */
    public List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(path)) {
            return all.filter(file -> !file.equals(path)).toList();
        }
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> all = Files.walk(path)) {
            for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
