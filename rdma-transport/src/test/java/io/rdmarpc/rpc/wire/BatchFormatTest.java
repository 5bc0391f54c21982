package io.rdmarpc.rpc.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class BatchFormatTest {

    @Test
    void shouldHaveTheDocumentedBytes() {
        byte[] bytes = new byte[40 + 34];
        Arrays.fill(bytes, (byte) 0xEE);
        MemorySegment packet = MemorySegment.ofArray(bytes);
        PacketHeader.write(packet, 0, PacketType.RESPONSE, 0, 0, 0x01020304, 0x1112131415161718L, 9, 0x0203, 3);
        MemorySegment.copy(MemorySegment.ofArray(new byte[] {1, 2, 3}), 0, packet, PacketHeader.BYTES, 3);
        BatchFormat.markFollowed(packet, 0);
        int next = BatchFormat.pad(packet, PacketHeader.BYTES + 3);
        PacketHeader.write(packet, next, PacketType.RESPONSE, 0, 0, 0x01020305, 0x2122232425262728L, 10, 0x0203, 2);
        MemorySegment.copy(MemorySegment.ofArray(new byte[] {4, 5}), 0, packet, next + PacketHeader.BYTES, 2);

        assertThat(HexFormat.of().formatHex(bytes))
                .isEqualTo("01030010" + "04030201" + "1817161514131211" + "0900000000000000" + "03020000" + "03000000"
                        + "010203" + "0000000000"
                        + "01030000" + "05030201" + "2827262524232221" + "0a00000000000000" + "03020000" + "02000000"
                        + "0405");
    }

    @Test
    void shouldRoundUpToEight() {
        assertThat(BatchFormat.padded(32)).isEqualTo(32);
        assertThat(BatchFormat.padded(33)).isEqualTo(40);
        assertThat(BatchFormat.padded(40)).isEqualTo(40);
    }
}
