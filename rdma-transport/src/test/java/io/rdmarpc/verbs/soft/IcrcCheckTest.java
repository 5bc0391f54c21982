package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.interop.PcapFile;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.soft.wire.WirePackets;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which ICRCs are accepted, from peers that number their IPv4 packets and from peers that do not. */
class IcrcCheckTest {

    private static final int SOURCE = 0x0A01_0001;
    private static final int DESTINATION = 0x0A01_0002;
    private static final int SOURCE_PORT = 0xC123;
    private static final int ROCE_PORT = 4791;
    private static final int DF = 0x4000;

    private final IcrcCheck check = new IcrcCheck();
    private final SplittableRandom random = new SplittableRandom(4791);

    private boolean accepts(PacketBuffer packet) {
        return check.accepts(packet, SOURCE, SOURCE_PORT, DESTINATION, ROCE_PORT);
    }

    private PacketBuffer packet(int identification, int flags) {
        PacketBuffer packet = WirePackets.random(random);
        WirePackets.finish(packet, identification << 16 | flags, SOURCE, SOURCE_PORT, DESTINATION, ROCE_PORT);
        return packet;
    }

    private void sendUnnumbered(int count) {
        for (int i = 0; i < count; i++) {
            assertThat(accepts(packet(0, DF))).isTrue();
        }
    }

    @Test
    @DisplayName("packets with any identification are accepted, with and without DF")
    void whenAPeerNumbersItsPacketsThenTheyAreAccepted() {
        for (int round = 0; round < 2_000; round++) {
            int identification = random.nextInt(0x1_0000);
            assertThat(accepts(packet(identification, DF)))
                    .as("ID %x, DF", identification)
                    .isTrue();
            assertThat(accepts(packet(identification, 0)))
                    .as("ID %x", identification)
                    .isTrue();
        }
    }

    @Test
    @DisplayName("a flipped bit in a numbered packet is detected")
    void whenABitOfANumberedPacketFlipsThenItIsRejected() {
        PacketBuffer packet = WirePackets.sized(random, 64);
        WirePackets.finish(packet, 0x1234 << 16 | DF, SOURCE, SOURCE_PORT, DESTINATION, ROCE_PORT);
        for (int bit = 0; bit < packet.length() * 8; bit++) {
            int at = bit / 8;
            byte before = packet.bytes().get(at);
            packet.bytes().put(at, (byte) (before ^ 1 << bit % 8));
            assertThat(accepts(packet)).as("bit %d", bit).isEqualTo(at == 4);
            packet.bytes().put(at, before);
        }
    }

    /**
     * Two of 65 536 values of the flags are accepted, so 2^-15 of all changes pass: 64 of 2 million are expected here.
     */
    @Test
    @DisplayName("16 of 32 bits still check a numbered packet: random changes pass at a rate near 2^-15")
    void whenNumberedPacketsChangeAtRandomThenFewPass() {
        PacketBuffer packet = WirePackets.sized(random, 16);
        int passed = 0;
        for (int round = 0; round < 1 << 21; round++) {
            packet.bytes().putInt(12, random.nextInt());
            if (accepts(packet)) {
                passed++;
            }
        }
        assertThat(passed).isBetween(32, 96);
    }

    @Test
    @DisplayName("a peer that never numbered its packets may not start to do so")
    void whenAPeerNeverNumbersThenANumberIsACorruption() {
        sendUnnumbered(8);

        assertThat(accepts(packet(0x1234, DF))).isFalse();
        assertThat(accepts(packet(0, 0))).as("DF missing").isFalse();
        assertThat(accepts(packet(0, DF))).isTrue();
    }

    @Test
    @DisplayName("other senders may number their packets after one peer was found not to")
    void whenAnotherPeerNumbersThenItIsAccepted() {
        sendUnnumbered(8);
        PacketBuffer packet = WirePackets.random(random);
        WirePackets.finish(packet, 0x1234_4000, SOURCE, SOURCE_PORT + 1, DESTINATION, ROCE_PORT);

        assertThat(check.accepts(packet, SOURCE, SOURCE_PORT + 1, DESTINATION, ROCE_PORT))
                .isTrue();
    }

    @Test
    @DisplayName("a number that is 0 by chance does not make a peer strict")
    void whenANumberIsZeroByChanceThenTheNextIsAcceptedToo() {
        for (int round = 0; round < 10; round++) {
            assertThat(accepts(packet(0xFFFF, DF))).isTrue();
            assertThat(accepts(packet(0, DF))).isTrue();
            assertThat(accepts(packet(1, DF))).isTrue();
        }
    }

    @Test
    @DisplayName("a peer in whose name packets were forged recovers after a few packets")
    void whenAForgerSentUnnumberedPacketsThenThePeerIsAcceptedAgain() {
        sendUnnumbered(1_000);
        int rejected = 0;
        while (!accepts(packet(0x4321, DF))) {
            rejected++;
        }
        assertThat(rejected).isEqualTo(5);
        assertThat(accepts(packet(0x4322, DF))).isTrue();
    }

    /** Captured by interop-check; the sockets of the software RNIC did not receive the IPv4 headers. */
    @Test
    @DisplayName("every packet of the kernel's rxe is accepted, modified packets are not")
    void whenTheKernelSentThePacketThenItIsAccepted(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("interop.pcap");
        try (InputStream capture = getClass().getResourceAsStream("/io/rdmarpc/verbs/interop/interop.pcap")) {
            Files.copy(Objects.requireNonNull(capture), file);
        }
        int taken = 0;
        for (ByteBuffer captured : PcapFile.packets(file)) {
            if (captured.getInt(12) == 0x0A01_0001) {
                assertThat(acceptsCaptured(captured)).as("packet %d", taken).isTrue();
                captured.put(40, (byte) ~captured.get(40));
                assertThat(acceptsCaptured(captured))
                        .as("changed packet %d", taken)
                        .isFalse();
                taken++;
            }
        }
        assertThat(taken).isGreaterThan(40);
    }

    private boolean acceptsCaptured(ByteBuffer captured) {
        PacketBuffer packet = new PacketBuffer();
        int headers = 28;
        packet.length(captured.limit() - headers);
        packet.bytes().put(0, captured, headers, packet.length());
        int sourcePort = Short.toUnsignedInt(captured.getShort(20));
        return check.accepts(packet, captured.getInt(12), sourcePort, captured.getInt(16), ROCE_PORT);
    }
}
