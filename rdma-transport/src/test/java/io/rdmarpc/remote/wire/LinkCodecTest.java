package io.rdmarpc.remote.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.connect.QueuePairEndpoint;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Messages about remote memory")
class LinkCodecTest {

    private static final UUID PROCESS = new UUID(0x0102030405060708L, 0x090A0B0C0D0E0F10L);
    private static final QueuePairEndpoint ENDPOINT =
            new QueuePairEndpoint(new Gid(0, 0xFFFF_0A00_0001L), 0x1234, 0x56789A, 0xBCDEF0, PathMtu.MTU_1024, 16, 8);

    static Stream<Arguments> messages() {
        return Stream.of(
                Arguments.of(
                        new LinkMessage.Hello(1, PROCESS, InetAddress.ofLiteral("10.0.0.1")),
                        "01 00000007 0001 0102030405060708 090a0b0c0d0e0f10 0a000001"),
                Arguments.of(
                        new LinkMessage.Connect(ENDPOINT),
                        "02 00000007 52445150 01 03 10 08 0056789a 00bcdef0 1234 0000 0000000000000000"
                                + " 0000ffff0a000001"),
                Arguments.of(
                        new LinkMessage.Connected(ENDPOINT),
                        "03 00000007 52445150 01 03 10 08 0056789a 00bcdef0 1234 0000 0000000000000000"
                                + " 0000ffff0a000001"),
                Arguments.of(
                        new LinkMessage.Allocate(4096, Set.of(RemoteRight.READ, RemoteRight.ATOMIC), 1_000_000_000),
                        "04 00000007 0000000000001000 000000003b9aca00 05"),
                Arguments.of(
                        new LinkMessage.Open(new TokenSecret(0x1122334455667788L, 0x99AABBCCDDEEFF00L)),
                        "05 00000007 1122334455667788 99aabbccddeeff00"),
                Arguments.of(
                        new LinkMessage.Lent(
                                9, 0x7F00_0000_1000L, 64, 0xABCD0123, Set.of(RemoteRight.WRITE), 0xA1B2, 5),
                        "06 00000007 0000000000000009 00007f0000001000 0000000000000040 0000000000000005 abcd0123 02 "
                                + "a1b2"),
                Arguments.of(new LinkMessage.Renew(9, 5), "07 00000007 0000000000000009 0000000000000005"),
                Arguments.of(new LinkMessage.Renewed(5), "08 00000007 0000000000000005"),
                Arguments.of(new LinkMessage.Free(9), "09 00000007 0000000000000009"),
                Arguments.of(new LinkMessage.Freed(), "0a 00000007"),
                Arguments.of(new LinkMessage.Rejected(Reason.QUOTA, "no"), "0b 00000007 05 6e6f"),
                Arguments.of(new LinkMessage.Revoked(9, Reason.EXPIRED), "0c 00000007 0000000000000009 04"),
                Arguments.of(new LinkMessage.Credit(9, 64), "0d 00000007 0000000000000009 0000000000000040"));
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }

    @ParameterizedTest
    @MethodSource("messages")
    @DisplayName("CP-17 each has this encoding, and decodes to an equal message")
    void shouldHaveThisEncoding(LinkMessage message, String hex) {
        assertThat(LinkCodec.encode(7, message)).isEqualTo(bytes(hex));
        LinkCodec.Numbered read = LinkCodec.decode(bytes(hex));
        assertThat(read.number()).isEqualTo(7);
        assertThat(read.message()).usingRecursiveComparison().isEqualTo(message);
    }

    @ParameterizedTest
    @MethodSource("messages")
    @DisplayName("truncated or extended bytes decode to a valid message or fail with the declared exception")
    void whenBytesAreMissingOrExtraThenDecodeFailsAsDeclared(LinkMessage message, String hex) {
        byte[] whole = bytes(hex);
        for (int length = 0; length <= whole.length + 3; length++) {
            decodeOrReject(Arrays.copyOf(whole, length));
        }
        assertThat(message).isNotNull();
    }

    @Test
    void shouldOmitKeysAndSecretsFromItsText() {
        assertThat(new LinkMessage.Lent(9, 0x7F00_0000_1000L, 64, 0xABCD0123, Set.of(), 1, 5).toString())
                .doesNotContain(String.valueOf(0xABCD0123), String.valueOf(0x7F00_0000_1000L));
        assertThat(new LinkMessage.Open(new TokenSecret(123456789, 987654321)).toString())
                .doesNotContain("123456789", "987654321");
    }

    @Test
    void whenARejectionHasControlCharactersThenTheyAreRemoved() {
        byte[] sent =
                LinkCodec.encode(7, new LinkMessage.Rejected(Reason.QUOTA, "no\nINFO user admin\u001b[31m\u202E"));

        assertThat(LinkCodec.decode(sent).message())
                .isEqualTo(new LinkMessage.Rejected(Reason.QUOTA, "no INFO user admin?[31m?"));
    }

    @Test
    @DisplayName("CP-16 random bytes decode to a valid message or fail with the declared exception")
    void whenBytesAreRandomThenDecodeFailsAsDeclared() {
        Random random = new Random(42);
        int rejected = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(64)];
            random.nextBytes(bytes);
            if (bytes.length > 0) {
                bytes[0] = (byte) random.nextInt(15);
            }
            rejected += decodeOrReject(bytes) ? 0 : 1;
        }
        assertThat(rejected).isGreaterThan(10_000);
    }

    private static boolean decodeOrReject(byte[] bytes) {
        try {
            LinkCodec.Numbered read = LinkCodec.decode(bytes);
            assertThat(read.message()).isNotNull();
            return true;
        } catch (RdmaRemoteMemoryException e) {
            assertThat(e.reason()).isEqualTo(Reason.PROTOCOL);
            return false;
        }
    }

    @Test
    @DisplayName("CP-17 a token has this encoding")
    void aTokenShouldHaveThisEncoding() {
        RegionToken token = TokenCodec.token(
                PROCESS,
                new TokenSecret(0x1122334455667788L, 0x99AABBCCDDEEFF00L),
                4096,
                Set.of(RemoteRight.READ, RemoteRight.WRITE));
        byte[] expected = bytes("01 03 000000000000 0102030405060708 090a0b0c0d0e0f10 1122334455667788 99aabbccddeeff00"
                + " 0000000000001000");
        assertThat(token.encode()).isEqualTo(expected);
        RegionToken read = RegionToken.decode(expected);
        assertThat(read).isEqualTo(token).hasSameHashCodeAs(token);
        assertThat(read.rights()).isEqualTo(token.rights());
        assertThat(read.length()).isEqualTo(4096);
        assertThat(read.owner()).isEqualTo(PROCESS);
        assertThat(read.toString()).doesNotContain("1122");
    }

    @Test
    @DisplayName("bytes that are not a token are rejected with a message")
    void whenBytesAreNotATokenThenTheyAreRejected() {
        for (byte[] wrong : new byte[][] {{}, new byte[47], new byte[48], new byte[49]}) {
            assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                    .isThrownBy(() -> RegionToken.decode(wrong))
                    .withMessageContaining(wrong.length + " bytes");
        }
    }
}
