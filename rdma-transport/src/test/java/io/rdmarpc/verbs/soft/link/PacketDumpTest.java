package io.rdmarpc.verbs.soft.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.interop.CapturedPackets;
import io.rdmarpc.verbs.interop.PcapFile;
import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.Ipv4Header;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.soft.wire.WirePackets;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PacketDumpTest {

    private static final int HERE = 0x0A01_0001;
    private static final int THERE = 0x0A01_0002;
    private static final long NANOS = 1_700_000_000_123_456_789L;

    @TempDir
    private Path directory;

    private static PacketBuffer packet(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        PacketBuffer packet = new PacketBuffer();
        packet.length(bytes.length);
        packet.bytes().put(0, bytes);
        return packet;
    }

    private static Gid gid(int ipv4) {
        return new Gid(0, 0xFFFF_0000_0000L | Integer.toUnsignedLong(ipv4));
    }

    @Test
    @DisplayName("the file equals that of libpcap byte for byte")
    void shouldWriteGoldenBytes() {
        assumeThat(ByteOrder.nativeOrder()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (PacketDump dump = new PacketDump("golden", Channels.newChannel(file), () -> NANOS)) {
            dump.add(packet("6440ffff0000001100c6527b" + "78f353f3"), 0x1234_4000, gid(HERE), 0xC001, gid(THERE), 4791);
        }

        assertThat(HexFormat.of().formatHex(file.toByteArray()))
                .isEqualTo("4d3cb2a1" + "02000400" + "00000000" + "00000000" + "ffff0000" + "65000000"
                        + "00f15365" + "15cd5b07" + "2c000000" + "2c000000"
                        + "4500002c" + "12344000" + "40111489" + "0a010001" + "0a010002"
                        + "c00112b7" + "00180000"
                        + "6440ffff0000001100c6527b" + "78f353f3");
    }

    @Test
    @DisplayName("more data than the buffer holds is written completely, with valid ICRCs")
    void whenThereIsMoreThanABufferThenAllIsWritten() throws IOException {
        Path path = directory.resolve("much.pcap");
        SplittableRandom random = new SplittableRandom(4);
        Icrc icrc = new Icrc();
        try (PacketDump dump = PacketDump.to(path)) {
            for (int i = 0; i < 500; i++) {
                PacketBuffer packet = WirePackets.random(random);
                icrc.write(packet, HERE, 4791, THERE, 4791);
                dump.add(packet, Ipv4Header.DONT_FRAGMENT, gid(HERE), 4791, gid(THERE), 4791);
                assertThat(packet.bytes().position()).isZero();
            }
        }

        List<ByteBuffer> packets = PcapFile.packets(path);
        assertThat(packets).hasSize(500).allMatch(CapturedPackets::hasRightIcrc);
        assertThat(Files.size(path)).isGreaterThan(512 << 10);
    }

    @Test
    @DisplayName("a full disk ends the dump but not the traffic")
    void whenWritingFailsThenNothingIsThrown() {
        FullDisk disk = new FullDisk();
        try (PacketDump dump = new PacketDump("full", disk, () -> NANOS)) {
            for (int i = 0; i < 500; i++) {
                dump.add(WirePackets.sized(new SplittableRandom(5), 4096), 0, gid(HERE), 1, gid(THERE), 2);
                dump.flush();
            }
        }
        assertThat(disk.writes).isEqualTo(1);
    }

    private static final class FullDisk implements WritableByteChannel {
        private int writes;

        @Override
        public int write(ByteBuffer bytes) throws IOException {
            writes++;
            throw new IOException("No space left on device");
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() throws IOException {
            throw new IOException("No space left on device");
        }
    }

    @Test
    @DisplayName("a second dump to the same file is rejected with a message")
    void whenTheFileIsInUseThenTheSecondDumpIsRejected() throws IOException {
        Path path = directory.resolve("one.pcap");
        try (PacketDump first = PacketDump.to(path)) {
            first.flush();
            assertThatThrownBy(() -> PacketDump.to(path).close())
                    .isInstanceOf(IOException.class)
                    .hasMessage("another device of this process is writing to the file");
        }
        assertThat(PcapFile.packets(path)).isEmpty();
    }

    @Test
    @DisplayName("the file has both directions of a link")
    void whenALinkIsDumpedThenTheFileHasBothDirections() throws IOException {
        Path path = directory.resolve("both.pcap");
        Inet4Address address = Inet4Address.ofLiteral("127.0.0.1");
        int ip = Gid.of(address).ipv4();
        PacketBuffer packet = WirePackets.random(new SplittableRandom(6));
        try (PacketLink link = new DumpingLink(
                UdpLink.open(List.of(address), 0), List.of(Gid.of(address)), PacketDump.to(path), System::nanoTime)) {
            LinkAddress way = link.resolve(0, Gid.of(address), link.port(), 0, 0);
            new Icrc().write(packet, ip, way.sourcePort(), ip, link.port());
            assertThat(link.send(0, way, packet)).isTrue();
            link.flush();
            int received = 0;
            while (received == 0) {
                received = link.poll(1, (_, _, _, _, _) -> {});
            }
        }

        List<ByteBuffer> packets = PcapFile.packets(path);
        assertThat(packets).hasSize(2).allMatch(CapturedPackets::hasRightIcrc);
        assertThat(packets.get(0)).isEqualTo(packets.get(1));
    }
}
