package io.rdmarpc.rpc.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PacketHeaderTest {

    private static final int AT = 24;

    private final MemorySegment memory = MemorySegment.ofArray(new byte[96]);

    private String hex(int from, int bytes) {
        return HexFormat.of().formatHex(memory.asSlice(from, bytes).toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    @DisplayName("CP-17 a header has these bytes")
    void shouldHaveTheDocumentedBytes() {
        PacketHeader.write(
                memory,
                AT,
                PacketType.LARGE_RESPONSE,
                0xFE,
                PacketHeader.FLAG_REQUEST_READ,
                0xA1B2C3D4,
                0x1122334455667788L,
                0x0102030405060708L,
                0xCAFEBABE,
                0x00102030);

        assertThat(hex(AT, PacketHeader.BYTES))
                .isEqualTo("01" + "04" + "fe" + "02" + "d4c3b2a1" + "8877665544332211" + "0807060504030201" + "bebafeca"
                        + "30201000");
        assertThat(hex(0, AT)).as("before the header").matches("0*");
        assertThat(hex(AT + 32, 40)).as("after the header").matches("0*");
    }

    @Test
    @DisplayName("CP-17 the deadline block has these bytes")
    void shouldWriteTheDeadlineAfterTheFixedPart() {
        PacketHeader.writeDeadline(memory, AT, 0x0102030405060708L);

        assertThat(hex(AT, 40)).isEqualTo("00".repeat(32) + "0807060504030201");
        assertThat(PacketHeader.remainingMicros(memory, AT)).isEqualTo(0x0102030405060708L);
    }

    @Test
    void shouldReadWhatItWrote() {
        PacketHeader.write(memory, AT, 0x7F, 200, 0xFF, -2, -3, -4, -5, -6);

        long first = PacketHeader.first(memory, AT);
        long last = PacketHeader.last(memory, AT);
        assertThat(PacketHeader.version(first)).isEqualTo(PacketHeader.VERSION);
        assertThat(PacketHeader.type(first)).isEqualTo(0x7F);
        assertThat(PacketHeader.status(first)).as("unsigned").isEqualTo(200);
        assertThat(PacketHeader.flags(first)).as("unsigned").isEqualTo(0xFF);
        assertThat(PacketHeader.session(first)).isEqualTo(-2);
        assertThat(PacketHeader.cookie(memory, AT)).isEqualTo(-3);
        assertThat(PacketHeader.requestIndex(memory, AT)).isEqualTo(-4);
        assertThat(PacketHeader.methodId(last)).isEqualTo(-5);
        assertThat(PacketHeader.length(last)).isEqualTo(-6);
    }

    @ParameterizedTest
    @CsvSource({"0, 32", "1, 40", "2, 32", "3, 40"})
    void shouldHaveTheLengthThatItsFlagsAnnounce(int flags, int bytes) {
        assertThat(PacketHeader.bytes(flags)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({
        "1, true, false",
        "2, true, true",
        "3, false, false",
        "4, false, true",
        "5, false, false",
        "6, true, false"
    })
    void shouldKnowTheReceiverOfAType(int type, boolean forServer, boolean large) {
        assertThat(PacketType.isForServer(type)).isEqualTo(forServer);
        assertThat(PacketType.isLarge(type)).isEqualTo(large);
    }

    @Test
    @DisplayName("CP-17 a READ descriptor has these bytes")
    void shouldHaveADescriptorOfSixteenBytes() {
        memory.fill((byte) 0x55);

        ReadDescriptor.write(memory, AT, 0x1122334455667788L, 0xA1B2C3D4);

        assertThat(hex(AT - 1, ReadDescriptor.BYTES + 2))
                .isEqualTo("55" + "8877665544332211" + "d4c3b2a1" + "00000000" + "55");
        assertThat(ReadDescriptor.address(memory, AT)).isEqualTo(0x1122334455667788L);
        assertThat(ReadDescriptor.rkey(memory, AT)).isEqualTo(0xA1B2C3D4);
    }
}
