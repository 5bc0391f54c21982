package io.rdmarpc.verbs.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.PathMtu;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The endpoint of a queue pair")
class QueuePairEndpointTest {

    private static final Gid GID = new Gid(0, 0x0000_FFFF_0A01_0002L);
    private static final QueuePairEndpoint ENDPOINT =
            new QueuePairEndpoint(GID, 0x1234, 0xAB_CDEF, 0x01_0203, PathMtu.MTU_1024, 200, 4);
    private static final String GOLDEN = "52445150" + "01" + "03" + "c8" + "04" + "00abcdef" + "00010203" + "1234"
            + "0000" + "00000000000000000000ffff0a010002";
    private static final String GOLDEN_SHORT = "efcdab00" + "3412" + "00000000000000000000ffff0a010002";

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    @Test
    void shouldEncodeTheDocumentedLayout() {
        assertThat(HexFormat.of().formatHex(ENDPOINT.encode())).isEqualTo(GOLDEN);
        assertThat(QueuePairEndpoint.decode(bytes(GOLDEN))).isEqualTo(ENDPOINT);
        assertThat(bytes(GOLDEN)).hasSize(QueuePairEndpoint.BYTES);
    }

    @Test
    void shouldEncodeTheShortFormWithoutPsn() {
        QueuePairEndpoint first = new QueuePairEndpoint(GID, 0x1234, 0xAB_CDEF, 0, PathMtu.MTU_4096, 4, 4);

        assertThat(HexFormat.of().formatHex(first.encodeShort())).isEqualTo(GOLDEN_SHORT);
        assertThat(QueuePairEndpoint.decodeShort(bytes(GOLDEN_SHORT), PathMtu.MTU_4096, 4))
                .isEqualTo(first);
        assertThat(bytes(GOLDEN_SHORT)).hasSize(QueuePairEndpoint.SHORT_BYTES);
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(ENDPOINT::encodeShort)
                .withMessageContaining("this one starts at 66051")
                .withMessageContaining("withFirstPsn(0)");
    }

    @ParameterizedTest(name = "byte {0} is {1}: {2}")
    @CsvSource({
        "0, 71, begins with 0x47445150 instead of",
        "4, 2, 'has version 2, this end supports 1'",
        "5, 0, path MTU code 0 is not 1 to 5",
        "5, 6, path MTU code 6 is not 1 to 5",
        "8, 1, qpn 28036591 is not 0 to 16777215",
        "12, -1, psn 4278256131 is not 0 to 16777215",
        "18, 1, reserved bytes are not 0"
    })
    void shouldRejectInvalidBytes(int index, byte value, String message) {
        byte[] changed = ENDPOINT.encode();
        changed[index] = value;

        assertThatIllegalArgumentException()
                .isThrownBy(() -> QueuePairEndpoint.decode(changed))
                .withMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 4, 22, 35, 37})
    void shouldRejectWrongLengths(int length) {
        byte[] other = Arrays.copyOf(ENDPOINT.encode(), length);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> QueuePairEndpoint.decode(other))
                .withMessageContaining("it has " + length + " bytes instead of 36");
    }

    @Test
    void shouldRejectWrongLengthsOfTheShortForm() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> QueuePairEndpoint.decodeShort(ENDPOINT.encode(), PathMtu.MTU_1024, 1))
                .withMessageContaining("it has 36 bytes instead of 22");
    }

    @Test
    void shouldRejectValuesOutOfRange() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new QueuePairEndpoint(GID, 0x1_0000, 1, 1, PathMtu.MTU_256, 1, 1))
                .withMessageContaining("lid 65536 is not 0 to 65535");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new QueuePairEndpoint(GID, 0, 1, 1, PathMtu.MTU_256, 256, 1))
                .withMessageContaining("maxReadsAsInitiator 256");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new QueuePairEndpoint(GID, 0, 1, 1, PathMtu.MTU_256, 1, -1))
                .withMessageContaining("maxReadsAsResponder 4294967295");
    }
}
