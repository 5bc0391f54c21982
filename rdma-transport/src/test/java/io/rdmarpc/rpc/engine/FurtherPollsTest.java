package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.client.PreparedCall;
import io.rdmarpc.transport.FakeShmChannel;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A duty cycle of a thread that would only run the next one")
class FurtherPollsTest {

    private static final long MINUTE = Duration.ofMinutes(1).toNanos();
    private static final int MAX_POLLS = 9;

    private final FakeShmChannel channel = new FakeShmChannel(EngineRig.PEER_QPN, EngineRig.PEER_GID);
    private final EngineRig rig = EngineRig.with(channel);
    private final ClientSession session = rig.client();
    private final PreparedCall call = (PreparedCall) session.prepareCall(RpcCall.End.NONE);
    private byte[] response = {};

    @BeforeEach
    void start() {
        EngineRig.filled(call.request(32), EngineRig.bytes(32));
        call.start(EngineRig.ECHO, MINUTE);
        rig.runLoop();
        response = Packet.response(session, rig.onlySent().index(), EngineRig.bytes(8))
                .bytes();
    }

    @AfterEach
    void nothingLeft() {
        channel.finds(_ -> null);
        call.close();
        rig.runLoop();
        rig.close();
    }

    @Test
    @DisplayName("finds a packet that arrived after its first poll")
    void whenAPacketArrivesLaterThenItIsFoundInThisCycle() {
        channel.finds(poll -> poll == 3 ? response : null);

        assertThat(rig.loop.doWorkOrSpin()).isPositive();
        assertThat(call.hasEnded()).isTrue();
        assertThat(channel.polls()).isEqualTo(3);
    }

    @Test
    @DisplayName("ends without a packet")
    void whenNoPacketArrivesThenItEnds() {
        channel.finds(_ -> null);

        assertThat(rig.loop.doWorkOrSpin()).isZero();
        assertThat(channel.polls()).isEqualTo(MAX_POLLS);
    }

    @Test
    @DisplayName("stops polling when there is a command")
    void whenThereIsACommandThenItDoesNotPollAgain() {
        boolean[] ran = new boolean[1];
        channel.finds(poll -> {
            if (poll == 2) {
                rig.loop.context().submit(_ -> ran[0] = true);
            }
            return null;
        });

        assertThat(rig.loop.doWorkOrSpin()).isZero();
        assertThat(channel.polls()).isEqualTo(2);
        assertThat(rig.loop.doWorkOrSpin()).isPositive();
        assertThat(ran[0]).isTrue();
    }

    @Test
    @DisplayName("polls less often with more paths, and once with many")
    void whenThereAreMorePathsThenItPollsLessOften() {
        channel.inbound(4);
        channel.finds(_ -> null);
        int _ = rig.loop.doWorkOrSpin();
        assertThat(channel.polls()).isEqualTo(3);

        channel.inbound(100);
        channel.finds(_ -> null);
        int _ = rig.loop.doWorkOrSpin();
        assertThat(channel.polls()).isOne();
    }

    @Test
    @DisplayName("polls only once if the thread has other work")
    void whenTheThreadHasOtherWorkThenItPollsOnce() {
        channel.finds(_ -> null);

        assertThat(rig.loop.doWork()).isZero();
        assertThat(channel.polls()).isOne();
    }
}
