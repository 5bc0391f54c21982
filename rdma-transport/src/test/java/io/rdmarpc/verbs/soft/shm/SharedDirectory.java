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

/** A directory of its own in shared memory, so that tests meet no other process, nor what one has left. */
public final class SharedDirectory implements AutoCloseable {

    private static final int SMALL_RING = SharedMemoryOptions.DEFAULT_RING_BYTES;

    private final Path path;
    private final boolean passesMemory;

    private SharedDirectory(Path path, boolean passesMemory) {
        this.path = path;
        this.passesMemory = passesMemory;
    }

    /** Makes one. */
    public static SharedDirectory create() throws IOException {
        return create(NativeAccess.isGranted());
    }

    /** Makes one for links that pass memory without a name, or put their rings into files as without native access. */
    public static SharedDirectory create(boolean passesMemory) throws IOException {
        return new SharedDirectory(Files.createTempDirectory(Path.of("/dev/shm"), "rdma-rpc-test-"), passesMemory);
    }

    /** Lets a process use one that another has made. */
    public static SharedDirectory at(String path) {
        return new SharedDirectory(Path.of(path), NativeAccess.isGranted());
    }

    public Path path() {
        return path;
    }

    /** Wraps a link, so that peers in this directory are reached through memory. */
    public HostLink around(PacketLink udp, InetAddress... addresses) {
        return around(udp, SMALL_RING, addresses);
    }

    HostLink around(PacketLink udp, int ringBytes, InetAddress... addresses) {
        return around(udp, ringBytes, System::nanoTime, addresses);
    }

    /** With a clock for what a link does from time to time. */
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

    /** Returns all that is in it, besides directories. */
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
