package io.rdmarpc.examples.pingpong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdmarpc.verbs.attributes.Gid;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class PingPongAddressTest {

    private static final String MESSAGE = "0000:000011:f8ce70:00000000000000000000ffff0a010001\0";
    private static final PingPongAddress ADDRESS =
            new PingPongAddress(0, 0x11, 0xf8ce70, new Gid(0, 0x0000_ffff_0a01_0001L));

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void shouldWriteTheFormatOfTheCProgram() {
        assertThat(ADDRESS.message()).hasSize(PingPongAddress.BYTES).isEqualTo(bytes(MESSAGE));
    }

    @Test
    void shouldReadTheFormatOfTheCProgram() {
        assertThat(PingPongAddress.parse(bytes(MESSAGE))).isEqualTo(ADDRESS);
    }

    @Test
    void shouldKeepTheHighestBits() {
        PingPongAddress highest = new PingPongAddress(0xffff, 0xffffff, 0xffffff, new Gid(-1, -1));

        assertThat(PingPongAddress.parse(highest.message())).isEqualTo(highest);
    }

    @Test
    void whenThePeerIsAnotherProgramThenTheExceptionShowsItsBytes() {
        byte[] other = bytes("GET / HTTP/1.1".repeat(4).substring(0, PingPongAddress.BYTES));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> PingPongAddress.parse(other))
                .withMessageContaining("GET / HTTP/1.1")
                .withMessageContaining("LID:QPN:PSN:GID");
    }
}
