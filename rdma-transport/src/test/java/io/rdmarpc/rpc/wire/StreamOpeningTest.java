package io.rdmarpc.rpc.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StreamOpeningTest {

    private static String hex(MemorySegment memory) {
        return HexFormat.of().formatHex(memory.toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    @DisplayName("CP-17 the opening of a stream has these bytes")
    void shouldHaveTheDocumentedBytes() {
        StreamOpening opening = new StreamOpening(0x01020304, 8, 0x1122334455L);
        MemorySegment call = MemorySegment.ofArray(new byte[StreamOpening.CALL_BYTES]);
        MemorySegment response = MemorySegment.ofArray(new byte[StreamOpening.RESPONSE_BYTES]);

        opening.writeCall(call);
        opening.writeResponse(response);

        assertThat(hex(call)).isEqualTo("5253544d" + "04030201" + "08000000" + "00000000" + "5544332211000000");
        assertThat(hex(response)).isEqualTo("5253544d" + "04030201" + "08000000" + "00000000");
        assertThat(StreamOpening.read(call)).isEqualTo(opening);
        assertThat(StreamOpening.read(response)).isEqualTo(new StreamOpening(0x01020304, 8, 0));
    }

    @Test
    void whenAPayloadIsSomethingElseThenItIsNoOpening() {
        assertThat(StreamOpening.isCall(MemorySegment.ofArray(new byte[StreamOpening.CALL_BYTES])))
                .isFalse();
        assertThat(StreamOpening.isCall(MemorySegment.ofArray(new byte[3]))).isFalse();
        assertThat(StreamOpening.isResponse(MemorySegment.ofArray(new byte[StreamOpening.RESPONSE_BYTES])))
                .isFalse();
    }

    @Test
    @DisplayName("CP-17 a stream's credit has these bytes")
    void whenACreditIsWrittenThenItIsLittleEndian() {
        MemorySegment memory = MemorySegment.ofArray(new byte[StreamCredit.BYTES]);
        StreamCredit.write(memory, 0, 0x0102030405060708L);

        assertThat(hex(memory)).isEqualTo("0807060504030201");
        assertThat(StreamCredit.read(memory, 0)).isEqualTo(0x0102030405060708L);
    }
}
