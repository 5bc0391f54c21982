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

@DisplayName("A turn of a thread that would only turn again")
class FurtherLooksTest {

    private static final long MINUTE = Duration.ofMinutes(1).toNanos();
    private static final int MOST_LOOKS = 9;

    private final FakeShmChannel channel = new FakeShmChannel(EngineRig.PEER_QPN, EngineRig.PEER_GID);
    private final EngineRig rig = EngineRig.with(channel);
    private final ClientSession session = rig.client();
    private final PreparedCall call = (PreparedCall) session.prepareCall(RpcCall.End.UNTOLD);
    private byte[] answer = {};

    @BeforeEach
    void start() {
        EngineRig.filled(call.request(32), EngineRig.bytes(32));
        call.start(EngineRig.ECHO, MINUTE);
        rig.turn();
        answer = Packet.response(session, rig.onlySent().index(), EngineRig.bytes(8))
                .bytes();
    }

    @AfterEach
    void nothingLeft() {
        channel.finds(_ -> null);
        call.close();
        rig.turn();
        rig.close();
    }

    @Test
    @DisplayName("finds what has come since it looked first")
    void whenAPacketComesLaterThenItIsFoundInThisTurn() {
        channel.finds(look -> look == 3 ? answer : null);

        assertThat(rig.loop.doWorkOrSpin()).isPositive();
        assertThat(call.hasEnded()).isTrue();
        assertThat(channel.looks()).isEqualTo(3);
    }

    @Test
    @DisplayName("has an end")
    void whenNothingComesThenItEnds() {
        channel.finds(_ -> null);

        assertThat(rig.loop.doWorkOrSpin()).isZero();
        assertThat(channel.looks()).isEqualTo(MOST_LOOKS);
    }

    @Test
    @DisplayName("leaves it at that when there is a command")
    void whenThereIsACommandThenItDoesNotLookAgain() {
        boolean[] ran = new boolean[1];
        channel.finds(look -> {
            if (look == 2) {
                rig.loop.context().submit(_ -> ran[0] = true);
            }
            return null;
        });

        assertThat(rig.loop.doWorkOrSpin()).isZero();
        assertThat(channel.looks()).isEqualTo(2);
        assertThat(rig.loop.doWorkOrSpin()).isPositive();
        assertThat(ran[0]).isTrue();
    }

    @Test
    @DisplayName("looks less often into more paths, and once into many")
    void whenThereAreMorePathsThenItLooksLessOften() {
        channel.inbound(4);
        channel.finds(_ -> null);
        int _ = rig.loop.doWorkOrSpin();
        assertThat(channel.looks()).isEqualTo(3);

        channel.inbound(100);
        channel.finds(_ -> null);
        int _ = rig.loop.doWorkOrSpin();
        assertThat(channel.looks()).isOne();
    }

    @Test
    @DisplayName("is for those who wait: whoever has other things to do looks once")
    void whenTheThreadHasOtherThingsToDoThenItLooksOnce() {
        channel.finds(_ -> null);

        assertThat(rig.loop.doWork()).isZero();
        assertThat(channel.looks()).isOne();
    }
}
