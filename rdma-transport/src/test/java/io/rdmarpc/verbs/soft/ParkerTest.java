package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.ControlCall;
import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.ffi.Reply;
import io.rdmarpc.verbs.soft.ffi.Bell;
import io.rdmarpc.verbs.soft.link.UdpLink;
import io.rdmarpc.verbs.soft.progress.EpollParker;
import io.rdmarpc.verbs.soft.progress.Parker;
import io.rdmarpc.verbs.soft.progress.SelectorParker;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
@DisplayName("The parker of an RNIC's driver")
class ParkerTest {

    private static final Duration SHORT = Duration.ofMillis(30);
    private static final long LONG_NANOS = Duration.ofSeconds(50).toNanos();

    private static final ControlCall SHUTDOWN =
            LibC.cold("shutdown", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.U32));

    static Stream<Parker> sleepers() {
        return Stream.of(new EpollParker(new int[0], new int[0]), new SelectorParker(List.of()));
    }

    @ParameterizedTest
    @MethodSource("sleepers")
    void shouldSleepForTheRequestedTime(Parker sleeper) {
        Instant start = Instant.now();
        sleeper.sleep(SHORT.toNanos());

        assertThat(Duration.between(start, Instant.now())).isGreaterThanOrEqualTo(SHORT.minusMillis(1));
        sleeper.close();
    }

    @ParameterizedTest
    @MethodSource("sleepers")
    @DisplayName("ends its sleep at once on a wake-up, also on one before the sleep")
    void shouldEndASleepOnAWakeUp(Parker sleeper) throws InterruptedException {
        sleeper.wakeUp();
        sleeper.sleep(Long.MAX_VALUE);
        Thread sleeping = Thread.ofPlatform().start(() -> sleeper.sleep(LONG_NANOS));
        sleeper.wakeUp();
        sleeping.join();
        sleeper.close();
    }

    /** A flood of rings ends sleeps and does not hold the driver in one. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldReadTheRingsOfABellOverSeveralSleeps() throws IOException {
        try (Bell bell = Bell.open("test")) {
            Bell.Ringer peer = Bell.Ringer.received(bell.ringer());
            Parker sleeper = new EpollParker(new int[0], new int[] {bell.descriptor()});
            for (int i = 0; i < 9; i++) {
                assertThat(peer.ring()).isTrue();
            }
            sleeper.sleep(LONG_NANOS);
            sleeper.sleep(LONG_NANOS);

            Instant start = Instant.now();
            sleeper.sleep(SHORT.toNanos());

            assertThat(Duration.between(start, Instant.now())).isGreaterThanOrEqualTo(SHORT.minusMillis(1));
            sleeper.close();
        }
    }

    /** Otherwise the closed bell would end every sleep. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void whenAPeerHasShutABellDownThenItIsRemoved() {
        try (Bell bell = Bell.open("test")) {
            Parker sleeper = new EpollParker(new int[0], new int[] {bell.descriptor()});
            Reply _ = SHUTDOWN.call(bell.ringer(), 2);
            sleeper.sleep(LONG_NANOS);

            Instant start = Instant.now();
            sleeper.sleep(SHORT.toNanos());

            assertThat(Duration.between(start, Instant.now())).isGreaterThanOrEqualTo(SHORT.minusMillis(1));
            sleeper.close();
        }
    }

    @Test
    void shouldEndASleepOnADatagram() throws IOException {
        try (UdpLink link = UdpLink.open(List.of(TestNode.LOOPBACK), 0);
                DatagramSocket peer = new DatagramSocket()) {
            Parker sleeper = new SelectorParker(link.channels());
            peer.send(new DatagramPacket(new byte[8], 8, new InetSocketAddress(TestNode.LOOPBACK, link.port())));

            sleeper.sleep(Long.MAX_VALUE);
            sleeper.close();
        }
    }
}
