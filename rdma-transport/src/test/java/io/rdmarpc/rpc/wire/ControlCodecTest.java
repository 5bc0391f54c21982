package io.rdmarpc.rpc.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdmarpc.TestSeed;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.transport.RcEndpoint;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.PathMtu;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ControlCodecTest {

    private static final int FUZZ_ROUNDS = 100_000;

    private static final Gid GID = new Gid(0, 0x0000FFFF_0A000001L);
    private static final UdEndpoint UD = new UdEndpoint(GID, 0x12B7, 0x112233, 0x44556677);
    private static final RcEndpoint RC = new RcEndpoint(
            GID, 0x12B7, new RcEndpoint.Half(0x112233, 0xABCDEF), new RcEndpoint.Half(0x445566, 0x123456), 16);
    private static final ServiceContract CONTRACT = new ServiceContract(
            "s.Hi",
            List.of(new ServiceContract.Method(0xCAFEBABE, "void a()")),
            List.of(new ServiceContract.Type("T", "int x")));

    private static final String GID_BYTES = "0000000000000000" + "0000ffff0a000001";
    private static final String UD_BYTES = GID_BYTES + "12b7" + "00112233" + "44556677";
    private static final String RC_BYTES =
            GID_BYTES + "12b7" + "00112233" + "00abcdef" + "00445566" + "00123456" + "0010";

    private static final String PROCESS_BYTES = "1122334455667788" + "99aabbccddeeff00";
    private static final String NONCE_BYTES = "0102030405060708".repeat(4);
    private static final Id128 PROCESS = new Id128(0x1122334455667788L, 0x99AABBCCDDEEFF00L);
    private static final Nonce NONCE = new Nonce(HexFormat.of().parseHex(NONCE_BYTES));
    private static final Mac MAC = new Mac(HexFormat.of().parseHex(NONCE_BYTES));
    private static final ControlMessage HELLO = new ControlMessage.Hello(4, 3000, PROCESS, NONCE);
    private static final ControlMessage OPENED =
            new ControlMessage.Opened(9, UD, 0x01020304, 0x1122334455667788L, 8, PathMtu.MTU_1024, 1 << 26);

    /** A forged log entry by a peer: another line, a terminal escape, right-to-left text. */
    private static final String FORGED = "x\n2026-11-27 INFO user admin logged in\u001b[31m\u202E";

    private static final String SANITIZED = "x 2026-11-27 INFO user admin logged in?[31m?";

    static Stream<ControlMessage> messagesWithText() {
        return Stream.of(
                new ControlMessage.Welcome(3, 3000, PROCESS, NONCE, false, FORGED),
                new ControlMessage.Rejection(SessionRejectReason.INTERNAL, FORGED),
                new ControlMessage.Goodbye(FORGED),
                new ControlMessage.Verify(1, new ServiceContract(FORGED, List.of(), List.of())),
                new ControlMessage.Verdict(1, FORGED),
                new ControlMessage.Open(1, PROCESS, FORGED, UD, 5, 4, PathMtu.MTU_1024, 1 << 20, false),
                new ControlMessage.Rejected(1, SessionRejectReason.INTERNAL, FORGED),
                new ControlMessage.Close(1, FORGED));
    }

    @ParameterizedTest
    @MethodSource("messagesWithText")
    void whenAPeersTextIsForALogThenItIsSanitized(ControlMessage sent) throws IOException {
        byte[] frame = ControlCodec.encode(sent);
        ControlMessage read = read(frame);

        assertThat(read.toString()).contains(SANITIZED);
        assertThat(read.describe()).hasSizeLessThanOrEqualTo(200);
        assertThatIOException()
                .isThrownBy(() -> ControlCodec.decode(Arrays.copyOfRange(frame, Integer.BYTES, frame.length + 1)))
                .withMessageContaining("1 bytes too many")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n").doesNotContain("\u001b"));
    }

    @Test
    void whenAReasonIsLongThenItIsTruncatedAndAdviceIsNot() throws IOException {
        ControlMessage.Goodbye goodbye =
                (ControlMessage.Goodbye) read(ControlCodec.encode(new ControlMessage.Goodbye("x".repeat(5_000))));
        ControlMessage.Verdict verdict =
                (ControlMessage.Verdict) read(ControlCodec.encode(new ControlMessage.Verdict(1, "x".repeat(5_000))));

        assertThat(goodbye.reason()).hasSize(200).endsWith("...");
        assertThat(verdict.difference()).hasSize(2_000).endsWith("...");
    }

    static Stream<Arguments> messages() {
        return Stream.of(
                Arguments.of(
                        HELLO,
                        "0000003f" + "01" + "52444d412d525043" + "0004" + "00000bb8" + PROCESS_BYTES + NONCE_BYTES),
                Arguments.of(
                        new ControlMessage.Welcome(4, 3000, PROCESS, NONCE, true, "ibverbs,soft"),
                        "00000046" + "02" + "0004" + "00000bb8" + PROCESS_BYTES + NONCE_BYTES + "01" + "000c"
                                + "696276657262732c736f6674"),
                Arguments.of(
                        new ControlMessage.Rejection(SessionRejectReason.RING_EXHAUSTED, "full"),
                        "00000008" + "03" + "02" + "000466756c6c"),
                Arguments.of(new ControlMessage.Proof(MAC), "00000021" + "04" + NONCE_BYTES),
                Arguments.of(new ControlMessage.Proven(MAC), "00000021" + "05" + NONCE_BYTES),
                Arguments.of(new ControlMessage.Heartbeat(), "00000001" + "06"),
                Arguments.of(new ControlMessage.Goodbye("bye ü"), "00000009" + "07" + "000662796520c3bc"),
                Arguments.of(
                        new ControlMessage.Verify(7, CONTRACT),
                        "00000027" + "08" + "00000007" + "0004732e4869" + "0001" + "cafebabe" + "0008766f696420612829"
                                + "0001" + "000154" + "0005696e742078"),
                Arguments.of(new ControlMessage.Verdict(7, ""), "00000007" + "09" + "00000007" + "0000"),
                Arguments.of(
                        new ControlMessage.Open(9, PROCESS, "soft", UD, 0x01020304, 8, PathMtu.MTU_4096, 1 << 26, true),
                        "00000041" + "10" + "00000009" + PROCESS_BYTES + "0004736f6674" + UD_BYTES + "01020304" + "0008"
                                + "05" + "04000000" + "01"),
                Arguments.of(
                        OPENED,
                        "00000032" + "11" + "00000009" + UD_BYTES + "01020304" + "1122334455667788" + "0008" + "03"
                                + "04000000"),
                Arguments.of(
                        new ControlMessage.Rejected(9, SessionRejectReason.SESSION_LIMIT, "full"),
                        "0000000c" + "12" + "00000009" + "05" + "000466756c6c"),
                Arguments.of(new ControlMessage.Close(9, "idle"), "0000000b" + "13" + "00000009" + "000469646c65"),
                Arguments.of(new ControlMessage.RcWanted(9), "00000005" + "14" + "00000009"),
                Arguments.of(new ControlMessage.RcOffer(9, RC), "00000029" + "15" + "00000009" + RC_BYTES),
                Arguments.of(new ControlMessage.RcResponse(9, RC), "00000029" + "16" + "00000009" + RC_BYTES),
                Arguments.of(new ControlMessage.RcReady(9), "00000005" + "17" + "00000009"),
                Arguments.of(
                        new ControlMessage.Draining(9, new long[] {4, 0x1122334455667788L}),
                        "00000017" + "18" + "00000009" + "0002" + "0000000000000004" + "1122334455667788"),
                Arguments.of(new ControlMessage.Reopen(9), "00000005" + "19" + "00000009"));
    }

    private static ControlMessage read(byte[] bytes) throws IOException {
        return ControlFrames.read(new DataInputStream(new ByteArrayInputStream(bytes)));
    }

    @ParameterizedTest
    @MethodSource("messages")
    @DisplayName("CP-17 every control message has its documented bytes")
    void shouldHaveTheDocumentedBytes(ControlMessage message, String hex) throws IOException {
        byte[] frame = ControlCodec.encode(message);

        assertThat(HexFormat.of().formatHex(frame)).isEqualTo(hex);
        assertThat(read(frame)).isEqualTo(message);
    }

    @ParameterizedTest
    @MethodSource("messages")
    @DisplayName("CP-16 a message that is truncated anywhere is rejected")
    void whenAMessageIsTruncatedThenItIsRejected(ControlMessage message, String hex) {
        byte[] frame = ControlCodec.encode(message);
        for (int length = 0; length < frame.length; length++) {
            byte[] cut = Arrays.copyOf(frame, length);
            assertThatExceptionOfType(EOFException.class).isThrownBy(() -> read(cut));
        }
        byte[] body = Arrays.copyOfRange(frame, 4, frame.length);
        for (int length = 0; length < body.length; length++) {
            byte[] cut = Arrays.copyOf(body, length);
            assertThatIOException().isThrownBy(() -> ControlCodec.decode(cut)).withMessageContaining("too short");
        }
    }

    @ParameterizedTest
    @MethodSource("messages")
    void whenBytesFollowAMessageThenItIsRejected(ControlMessage message, String hex) {
        byte[] frame = ControlCodec.encode(message);
        byte[] body = Arrays.copyOfRange(frame, 4, frame.length + 1);

        assertThatIOException()
                .isThrownBy(() -> ControlCodec.decode(body))
                .withMessageStartingWith("1 bytes too many in control message");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE, ControlCodec.MAX_FRAME_BYTES + 1, Integer.MAX_VALUE, 0x47455420})
    @DisplayName("CP-16 a frame with an invalid length is rejected before it is read")
    void whenAFramesLengthIsInvalidThenItIsRejected(int length) {
        byte[] frame = ByteBuffer.allocate(4).putInt(length).array();

        assertThatIOException()
                .isThrownBy(() -> read(frame))
                .isNotInstanceOf(EOFException.class)
                .withMessage(
                        "a control frame of %d bytes: the length must be 1 to 1048576. The peer does not use this"
                                + " protocol",
                        length);
    }

    @Test
    @DisplayName("CP-16 a wrong magic number is reported")
    void whenTheMagicIsWrongThenItIsReported() {
        byte[] frame = ControlCodec.encode(HELLO);
        frame[5] = 'X';

        assertThatIOException()
                .isThrownBy(() -> read(frame))
                .withMessage("wrong magic number 0x58444d412d525043: the peer is not rdma-rpc");
    }

    @Test
    void shouldNotPutSecretsIntoText() {
        String words = OPENED.toString()
                + PROCESS
                + NONCE
                + MAC
                + new ControlMessage.Open(9, PROCESS, "soft", UD, 1, 8, PathMtu.MTU_4096, 1, false);

        assertThat(words)
                .contains("10.0.0.1", "soft")
                .doesNotContain(
                        String.valueOf(0x1122334455667788L), String.valueOf(0x44556677), "99aabbcc", "0102030405");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0004736f66740000000000000000000000"})
    @DisplayName("CP-10 only the version of an older HELLO is read")
    void whenTheHelloIsOfAnOlderVersionThenItsVersionIsRead(String rest) throws IOException {
        byte[] body = HexFormat.of().parseHex("01" + "52444d412d525043" + "0002" + rest);

        assertThat(ControlCodec.decode(body))
                .isInstanceOfSatisfying(
                        ControlMessage.Hello.class,
                        hello -> assertThat(hello.version()).isEqualTo(2));
    }

    @Test
    @DisplayName("CP-10 a HELLO of a newer version may have more fields")
    void whenTheHelloIsOfANewerVersionThenAdditionalBytesAreSkipped() throws IOException {
        byte[] frame = ControlCodec.encode(new ControlMessage.Hello(ControlCodec.VERSION + 1, 3000, PROCESS, NONCE));
        byte[] body = Arrays.copyOfRange(frame, 4, frame.length + 10);

        assertThat(ControlCodec.decode(body))
                .isEqualTo(new ControlMessage.Hello(ControlCodec.VERSION + 1, 3000, PROCESS, NONCE));
    }

    @Test
    void whenTheTypeIsUnknownThenItIsReported() {
        assertThatIOException()
                .isThrownBy(() -> ControlCodec.decode(new byte[] {99}))
                .withMessage("unknown control message type 99");
    }

    @Test
    void whenTheMtuIsInvalidThenItIsReported() {
        byte[] frame = ControlCodec.encode(OPENED);
        frame[frame.length - 5] = 6;

        assertThatIOException().isThrownBy(() -> read(frame)).withMessageContaining("path MTU code 6 is not 1 to 5");
    }

    @Test
    void whenARejectionIsOfALaterVersionThenItsReasonIsRead() throws IOException {
        byte[] frame = ControlCodec.encode(new ControlMessage.Rejection(SessionRejectReason.CLOSING, "no more"));
        frame[5] = 77;

        assertThat(read(frame)).isEqualTo(new ControlMessage.Rejection(SessionRejectReason.INTERNAL, "no more"));
    }

    @Test
    void whenATextIsTooLongThenItIsTruncated() throws IOException {
        assertThat(nameRead("x".repeat(70_000))).hasSize(0xFFFF).matches("x*");
    }

    @Test
    void whenATextIsTruncatedThenCharactersStayWhole() throws IOException {
        assertThat(nameRead("ü".repeat(40_000))).hasSize(0xFFFF / 2).matches("ü*");
    }

    /** Returns a contract's name after a round trip. Names are compared, so they arrive unchanged. */
    private static String nameRead(String sent) throws IOException {
        ServiceContract contract = new ServiceContract(sent, List.of(), List.of());
        return ((ControlMessage.Verify) read(ControlCodec.encode(new ControlMessage.Verify(1, contract))))
                .contract()
                .name();
    }

    @Test
    void whenAContractHasTooManyMethodsThenItIsRejected() {
        ServiceContract huge =
                new ServiceContract("s", Collections.nCopies(0x10000, new ServiceContract.Method(1, "m")), List.of());

        assertThatIllegalArgumentException().isThrownBy(() -> ControlCodec.encode(new ControlMessage.Verify(1, huge)));
    }

    @Test
    void whenAMessageExceedsTheFrameThenItIsNotSent() {
        ServiceContract huge = new ServiceContract(
                "s", Collections.nCopies(1000, new ServiceContract.Method(1, "m".repeat(2000))), List.of());

        assertThatIllegalArgumentException()
                .isThrownBy(() -> ControlCodec.encode(new ControlMessage.Verify(1, huge)))
                .withMessageContaining("exceeds the limit of 1048576");
    }

    @Test
    @DisplayName("CP-16 random frames are decoded or throw an IOException")
    void whenFramesAreRandomThenOnlyIoExceptionsAreThrown() {
        long seed = TestSeed.next();
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < FUZZ_ROUNDS; round++) {
            byte[] frame = new byte[random.nextInt(80)];
            random.nextBytes(frame);
            if (frame.length > 0) {
                frame[0] = (byte) random.nextInt(25);
            }
            decodeOrReject(frame, seed);
        }
    }

    @Test
    @DisplayName("CP-16 mutated frames are decoded or throw an IOException")
    void whenFramesAreMutatedThenOnlyIoExceptionsAreThrown() {
        long seed = TestSeed.next();
        SplittableRandom random = new SplittableRandom(seed);
        List<byte[]> frames = messages()
                .map(arguments -> ControlCodec.encode((ControlMessage) arguments.get()[0]))
                .map(frame -> Arrays.copyOfRange(frame, 4, frame.length))
                .toList();
        for (int round = 0; round < FUZZ_ROUNDS; round++) {
            byte[] frame = frames.get(random.nextInt(frames.size())).clone();
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                frame[random.nextInt(frame.length)] ^= (byte) (1 << random.nextInt(8));
            }
            decodeOrReject(frame, seed);
        }
    }

    private static void decodeOrReject(byte[] frame, long seed) {
        try {
            ControlMessage message = ControlCodec.decode(frame);
            // A decoded message can be encoded again.
            ControlMessage again = read(ControlCodec.encode(message));
            if (!again.equals(message)) {
                throw new AssertionError("seed " + seed + ": " + message + " was decoded again as " + again);
            }
        } catch (IOException e) {
            assertThat(e.getMessage()).as("seed %d", seed).isNotBlank();
        } catch (RuntimeException e) {
            throw new AssertionError(
                    "seed " + seed + ", frame " + HexFormat.of().formatHex(frame), e);
        }
    }
}
