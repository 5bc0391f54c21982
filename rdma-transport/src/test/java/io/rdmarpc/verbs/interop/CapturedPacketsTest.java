package io.rdmarpc.verbs.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests packets between the kernel's rxe and the software RNIC, which interop-check captured. */
class CapturedPacketsTest {

    @TempDir
    private Path directory;

    private List<ByteBuffer> packets = List.of();

    @BeforeEach
    void read() throws IOException {
        Path file = directory.resolve("interop.pcap");
        try (InputStream capture = getClass().getResourceAsStream("interop.pcap")) {
            Files.copy(Objects.requireNonNull(capture), file);
        }
        packets = PcapFile.packets(file);
    }

    @Test
    @DisplayName("the independent computation finds every captured ICRC right, numbered packets or not")
    void whenPacketsWereCapturedThenTheirIcrcsAreRight() {
        assertThat(packets).hasSizeGreaterThan(40).allMatch(CapturedPackets::hasRightIcrc);
        assertThat(packets).anyMatch(packet -> packet.getShort(4) != 0).anyMatch(packet -> packet.getShort(4) == 0);
    }

    @Test
    @DisplayName("the independent computation notices each changed byte")
    void whenAByteChangesThenTheIcrcIsWrong() {
        ByteBuffer packet = packets.getFirst();
        for (int at = 28; at < packet.limit(); at++) {
            if (at != 32) {
                packet.put(at, (byte) ~packet.get(at));
                assertThat(CapturedPackets.hasRightIcrc(packet))
                        .as("byte %d", at)
                        .isFalse();
                packet.put(at, (byte) ~packet.get(at));
            }
        }
    }
}
