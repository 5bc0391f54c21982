package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BytesHandler;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Metadata before a request: the engine carries the bytes and sets the flag")
class MetadataFlagTest {

    private static final byte[] METADATA = {6, 0, 1, 2, 3, 4};
    private static final byte[] HELLO = EngineRig.bytes(11);
    private static final int INLINE = 77;

    private final EngineRig rig = new EngineRig();

    @AfterEach
    void nothingLeft() {
        rig.close();
    }

    private static MessageBuffer withMetadata(MessageBuffer buffer, byte[] payload) {
        MemorySegment.copy(METADATA, 0, buffer.metadata(METADATA.length), ValueLayout.JAVA_BYTE, 0, METADATA.length);
        return EngineRig.filled(buffer, payload);
    }

    private void call(ClientSession client, MessageBuffer request) {
        client.call(EngineRig.ECHO, request, Duration.ofMinutes(1).toNanos(), new TestCall());
        rig.runLoop();
    }

    private static byte[] both(byte[] payload) {
        byte[] both = new byte[METADATA.length + payload.length];
        System.arraycopy(METADATA, 0, both, 0, METADATA.length);
        System.arraycopy(payload, 0, both, METADATA.length, payload.length);
        return both;
    }

    @Test
    void whenARequestHasMetadataThenThePacketHasTheFlagAndBoth() {
        ClientSession client = rig.client();

        call(client, withMetadata(client.allocate(100), HELLO));

        Packet sent = rig.onlySent();
        assertThat(sent.flags() & PacketHeader.FLAG_METADATA).isEqualTo(PacketHeader.FLAG_METADATA);
        assertThat(sent.length()).isEqualTo(METADATA.length + HELLO.length);
        assertThat(sent.body()).isEqualTo(both(HELLO));
    }

    @Test
    void whenARequestHasNoneThenThePacketHasNeitherFlagNorAByteMore() {
        ClientSession client = rig.client();

        call(client, EngineRig.filled(client.allocate(100), HELLO));

        Packet sent = rig.onlySent();
        assertThat(sent.flags() & PacketHeader.FLAG_METADATA).isZero();
        assertThat(sent.body()).isEqualTo(HELLO);
    }

    @Test
    void whenALargeRequestHasMetadataThenThePacketHasTheFlagAndTheWholeLength() {
        ClientSession client = rig.client();
        byte[] large = EngineRig.bytes(20_000);

        call(client, withMetadata(client.allocate(large.length + METADATA.length), large));

        Packet sent = rig.onlySent();
        assertThat(sent.type()).isEqualTo(PacketType.LARGE_REQUEST);
        assertThat(sent.flags() & PacketHeader.FLAG_METADATA).isEqualTo(PacketHeader.FLAG_METADATA);
        assertThat(sent.length()).isEqualTo(METADATA.length + large.length);
    }

    @Test
    void whenMetadataMakesARequestTooLongForAPacketThenItIsSentAsALargeOne() {
        ClientSession client = rig.client();
        byte[] full = EngineRig.bytes(client.maxPacketPayload());

        call(client, withMetadata(client.allocate(full.length + METADATA.length), full));

        assertThat(rig.onlySent().type()).isEqualTo(PacketType.LARGE_REQUEST);
    }

    @Test
    void whenAPreparedCallIsStartedAgainThenTheMetadataOfTheLastOneIsNotSent() {
        ClientSession client = rig.client();
        try (RpcCall call = client.prepareCall(RpcCall.End.NONE)) {
            withMetadata(call.request(100), HELLO);
            call.start(EngineRig.ECHO, Duration.ofMinutes(1).toNanos());
            rig.runLoop();
            Packet first = rig.onlySent();
            rig.receive(Packet.response(client, first.index(), HELLO));
            rig.sent();

            EngineRig.filled(call.request(100), HELLO);
            call.start(EngineRig.ECHO, Duration.ofMinutes(1).toNanos());
            rig.runLoop();

            Packet second = rig.onlySent();
            assertThat(second.flags() & PacketHeader.FLAG_METADATA).isZero();
            assertThat(second.body()).isEqualTo(HELLO);
            rig.receive(Packet.response(client, second.index(), HELLO));
        }
    }

    @Test
    void whenTheFlagIsThereThenTheHandlerIsNotified() {
        ServerSession server = rig.server();
        Packet request = Packet.request(server, EngineRig.FIRST, EngineRig.HOLD, both(HELLO));

        rig.receive(request.withFlags(request.flags() | PacketHeader.FLAG_METADATA));
        rig.receive(Packet.request(server, EngineRig.FIRST + 1, EngineRig.HOLD, HELLO));

        assertThat(rig.held.getFirst().hasMetadata()).isTrue();
        assertThat(rig.held.getFirst().message().payload().toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo(both(HELLO));
        assertThat(rig.held.getLast().hasMetadata()).isFalse();
    }

    @Test
    void whenTheFlagIsThereThenAHandlerOnThePollingThreadIsNotified() {
        List<Boolean> notified = new ArrayList<>();
        rig.serve(
                INLINE,
                (BytesHandler) call -> {
                    notified.add(call.hasMetadata());
                    InlineCallTest.echo(call);
                },
                null);
        ServerSession server = rig.server();
        Packet request = Packet.request(server, EngineRig.FIRST, INLINE, both(HELLO));

        rig.receive(request.withFlags(request.flags() | PacketHeader.FLAG_METADATA));
        rig.receive(Packet.request(server, EngineRig.FIRST + 1, INLINE, HELLO));

        assertThat(notified).containsExactly(true, false);
    }

    @Test
    void whenACallIsDeferredThenItStillHasItsMetadata() {
        List<Boolean> notified = new ArrayList<>();
        rig.serve(
                INLINE,
                (BytesHandler) call -> {
                    var deferred = call.defer();
                    notified.add(deferred.hasMetadata());
                    EngineRig.echo(deferred);
                },
                null);
        ServerSession server = rig.server();
        Packet request = Packet.request(server, EngineRig.FIRST, INLINE, both(HELLO));

        rig.receive(request.withFlags(request.flags() | PacketHeader.FLAG_METADATA));

        assertThat(notified).containsExactly(true);
    }
}
