package io.rdmarpc.verbs.soft.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.TestSeed;
import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.soft.ffi.DescriptorSocket;
import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.UdpLink;
import io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer that overwrites its ring with garbage: the reader validates everything, abandons the ring and continues. */
@Timeout(300)
class GarbageRingTest {

    private static final Inet4Address ADDRESS = Inet4Address.ofLiteral("127.0.0.1");
    private static final int IP = 0x7F00_0001;
    private static final int RING = SharedMemoryOptions.SMALLEST_RING_BYTES;
    private static final int ROUNDS = Math.max(200, (int) (Integer.getInteger("rdma.test.packets", 0) / (RING / 8L)));
    private static final int POLLS = 50;

    private final long seed = TestSeed.next();
    private final SplittableRandom random = new SplittableRandom(seed);
    private final PacketBuffer packet = new PacketBuffer();
    private int good;

    private HostLink open(SharedDirectory directory) throws IOException {
        return directory.around(UdpLink.open(List.of(ADDRESS), 0), RING, ADDRESS);
    }

    private void poll(HostLink link) {
        link.poll(64, (index, _, sourceIp, sourcePort, found) -> {
            assertThat(index).isZero();
            assertThat((int) sourceIp).isEqualTo(IP);
            assertThat(found.length()).isBetween(1, PacketBuffer.CAPACITY);
            good += found.length() == 100 && found.bytes().get(0) == 0x77 ? 1 : 0;
        });
    }

    @ParameterizedTest(name = "anonymous memory: {0}")
    @ValueSource(booleans = {true, false})
    void whenAPeerWritesGarbageIntoItsRingThenTheReaderContinues(boolean passesMemory) throws IOException {
        assumeTrue(!passesMemory || NativeAccess.isGranted(), "memory is passed with native access");
        try (SharedDirectory directory = SharedDirectory.create(passesMemory);
                HostLink reader = open(directory);
                HostLink regular = open(directory)) {
            LinkAddress toReader = LinkAddress.of(IP, reader.port());
            for (int round = 0; round < ROUNDS; round++) {
                try (HostLink hostile = open(directory)) {
                    corrupt(hostile, reader, toReader);
                }
                if (passesMemory) {
                    passGarbage(directory);
                }
                assertCarries(regular, toReader, reader);
            }
            assertThat(reader.counters().brokenRings()).as("rings with garbage").isPositive();
            if (passesMemory) {
                untilTaken(reader);
                assertThat(reader.counters().rejectedHandovers())
                        .as("what was passed")
                        .isPositive();
            }
        }
    }

    /** Sends random and nearly valid messages to all inboxes, with and without memory. */
    private void passGarbage(SharedDirectory directory) throws IOException {
        List<Path> sockets = directory.files().stream()
                .filter(file -> file.endsWith(Handover.FILE))
                .toList();
        Path name = directory.path().resolve("hostile-" + random.nextInt());
        try (DescriptorSocket socket = DescriptorSocket.bind(name);
                MemFd memory = MemFd.create("hostile", 4096L * random.nextInt(1, 40))) {
            for (Path each : sockets) {
                for (long at = 0; at < DescriptorSocket.MESSAGE_BYTES; at += 4) {
                    socket.message().set(ValueLayout.JAVA_INT, at, random.nextInt(5));
                }
                socket.message().set(ValueLayout.JAVA_INT, 0, Handover.MAGIC + (random.nextInt(4) == 0 ? 1 : 0));
                boolean ignored = socket.send(each, random.nextBoolean() ? memory.descriptor() : DescriptorSocket.NONE);
            }
        }
        Files.delete(name);
    }

    private void untilTaken(HostLink reader) {
        long end = System.nanoTime() + 10_000_000_000L;
        while (reader.counters().rejectedHandovers() == 0 && System.nanoTime() < end) {
            poll(reader);
        }
    }

    /** Creates a ring, then overwrites its records, or its header as well. */
    private void corrupt(HostLink hostile, HostLink reader, LinkAddress toReader) {
        send(hostile, toReader);
        poll(reader);
        writeOver(Objects.requireNonNull(hostile.ringTo(toReader)));
        for (int i = 0; i < POLLS; i++) {
            poll(reader);
        }
        send(hostile, toReader);
        poll(reader);
    }

    private void writeOver(MemorySegment ring) {
        long from = random.nextInt(4) == 0 ? 0 : ShmRingLayout.HEADER_BYTES;
        for (long at = from; at + 8 <= ring.byteSize(); at += 8) {
            ring.set(ValueLayout.JAVA_LONG, at, word());
        }
    }

    /** Returns the first word of a record: valid, nearly valid, or random. */
    private long word() {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextLong();
            case 1 -> ShmRingLayout.firstWord(random.nextInt(PacketBuffer.CAPACITY + 8), 0, 0);
            case 2 -> ShmRingLayout.firstWord(random.nextInt(200), random.nextInt(2), random.nextInt(2));
            default -> ShmRingLayout.firstWord(random.nextInt(-3, 3), 0, 0);
        };
    }

    private void send(HostLink link, LinkAddress to) {
        packet.length(100);
        packet.bytes().put(0, (byte) 0x77);
        link.send(0, to, packet);
        link.flush();
    }

    private void assertCarries(HostLink regular, LinkAddress toReader, HostLink reader) {
        int before = good;
        long end = System.nanoTime() + 10_000_000_000L;
        while (good == before) {
            send(regular, toReader);
            poll(reader);
            assertThat(System.nanoTime() - end).as("regular packets arrive").isNegative();
        }
    }
}
