package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.server.RetainedResponses;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.wire.PacketType;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("LO-11 release of large responses")
class RetainedResponsesTest {

    private static final Duration INTERVAL = Duration.ofNanos(RetainedResponses.INTERVAL_NANOS);
    private static final int LARGE = 5000;

    private final EngineRig rig = new EngineRig();
    private final ServerSession server = rig.server();

    @AfterEach
    void close() {
        rig.close();
    }

    private Packet largeResponse() {
        rig.receive(Packet.request(server, EngineRig.FIRST, EngineRig.HOLD, new byte[8]));
        EngineRig.respond(rig.held.getFirst(), EngineRig.bytes(LARGE));
        rig.runLoop();
        return rig.onlySent();
    }

    @Test
    void whenTheReleaseDoesNotArriveThenTheResponseIsSentRepeatedly() {
        Packet response = largeResponse();

        rig.pass(INTERVAL.plusMillis(1));
        assertThat(rig.onlySent()).usingRecursiveComparison().isEqualTo(response);
        rig.pass(INTERVAL.plusMillis(1));
        assertThat(rig.onlySent().type()).isEqualTo(PacketType.LARGE_RESPONSE);
    }

    @Test
    void whenResponsesAreRetainedFromDifferentTimesThenEachIsSentAgainAfterItsOwnInterval() {
        largeResponse();
        rig.pass(Duration.ofMillis(400));
        rig.receive(Packet.request(server, EngineRig.FIRST + 1, EngineRig.HOLD, new byte[8]));
        EngineRig.respond(rig.held.getLast(), EngineRig.bytes(LARGE));
        rig.runLoop();
        rig.sent();

        rig.pass(Duration.ofMillis(101));
        assertThat(rig.onlySent().index()).isEqualTo(EngineRig.FIRST);
        rig.pass(Duration.ofMillis(400));
        assertThat(rig.onlySent().index()).isEqualTo(EngineRig.FIRST + 1);
        rig.pass(Duration.ofMillis(101));
        assertThat(rig.onlySent().index()).isEqualTo(EngineRig.FIRST);
    }

    @Test
    void whenTheReleaseArrivesThenTheMemoryIsFreeAndNothingMoreIsSent() {
        largeResponse();
        rig.receive(Packet.release(server, EngineRig.FIRST));
        assertThat(rig.hostOf(server).lending.statistics().blocksInUse()).isZero();

        rig.pass(INTERVAL.multipliedBy(2));

        assertThat(rig.sent()).isEmpty();
        assertThat(rig.loop.needsTime()).isFalse();
    }

    @Test
    void whenTheClientNoLongerKnowsTheCallThenItReleasesTheResponseAgain() {
        ClientSession client = rig.client();
        TestCall call = rig.call(client, new byte[8]);
        rig.runLoop();
        long index = rig.onlySent().index();
        rig.receive(Packet.response(client, index, new byte[8]));
        assertThat(call.response()).hasSize(8);

        rig.receive(Packet.largeResponse(client, index, LARGE, 0x1000, 7));

        assertThat(rig.onlySent().type()).isEqualTo(PacketType.RELEASE);
    }

    @Test
    void whenTheSendQueueIsFullThenAReleaseWaitsAndGoesOut() {
        ClientSession client = rig.client();
        TestCall call = rig.call(client, new byte[8]);
        rig.runLoop();
        long index = rig.onlySent().index();
        rig.receive(Packet.response(client, index, new byte[8]));
        assertThat(call.response()).hasSize(8);
        rig.nic.rejectSends(true);
        for (int i = 0; i < 30; i++) {
            rig.receive(Packet.largeResponse(client, index, LARGE, 0x1000, 7));
        }
        assertThat(rig.sent()).isEmpty();

        rig.nic.rejectSends(false);
        rig.runLoop();

        assertThat(rig.sent()).hasSize(30).allMatch(packet -> packet.type() == PacketType.RELEASE);
    }
}
