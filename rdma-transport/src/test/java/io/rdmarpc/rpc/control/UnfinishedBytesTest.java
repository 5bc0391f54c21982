package io.rdmarpc.rpc.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.control.limit.UnfinishedBytes;
import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Stored bytes of control connections")
class UnfinishedBytesTest {

    private static final int LIMIT = 1000;
    private static final int FREE = UnfinishedBytes.FREE_BYTES;
    private static final int PART = FREE + 60_000;

    private final UnfinishedBytes bytes = new UnfinishedBytes(LIMIT);

    private static InetAddress host(int number) {
        return Inet4Address.ofLiteral("10.0.0." + number);
    }

    private static MemoryWire from(int number) {
        return new MemoryWire(new InetSocketAddress(host(number), 7000));
    }

    @Test
    void whenAConnectionStoresLittleThenItIsNotCounted() {
        assertThat(bytes.share(host(1)).resize(FREE)).isTrue();
        assertThat(bytes.total()).isZero();
    }

    @Test
    void whenAnAddressHasHalfThenItsNextConnectionIsRejected() {
        assertThat(bytes.share(host(1)).resize(FREE + 400)).isTrue();
        assertThat(bytes.share(host(1)).resize(FREE + 101)).isFalse();
        assertThat(bytes.share(host(1)).resize(FREE + 100)).isTrue();
    }

    @Test
    void whenAnAddressHasHalfThenAnotherHasHalfOfTheRest() {
        assertThat(bytes.share(host(1)).resize(FREE + 500)).isTrue();
        assertThat(bytes.share(host(2)).resize(FREE + 251)).isFalse();
        assertThat(bytes.share(host(2)).resize(FREE + 250)).isTrue();
    }

    @Test
    void whenAConnectionStoresLessThenThereIsRoomForAnother() {
        UnfinishedBytes.Share first = bytes.share(host(1));
        assertThat(first.resize(FREE + 500)).isTrue();
        assertThat(first.resize(FREE + 100)).isTrue();
        assertThat(bytes.share(host(1)).resize(FREE + 400)).isTrue();
    }

    @Test
    void whenAConnectionIsRejectedThenItsCountStays() {
        UnfinishedBytes.Share share = bytes.share(host(1));
        assertThat(share.resize(FREE + 300)).isTrue();
        assertThat(share.resize(Long.MAX_VALUE / 2)).isFalse();
        assertThat(bytes.total()).isEqualTo(300);
    }

    @Test
    void whenAConnectionEndsThenNothingIsCounted() {
        UnfinishedBytes.Share share = bytes.share(host(1));
        assertThat(share.resize(FREE + 300)).isTrue();
        share.close();
        share.close();
        assertThat(bytes.total()).isZero();
    }

    // ---- of connections ----

    /** Uses up all bytes, so that none are left for another client. */
    private static void exhaust(UnfinishedBytes all) {
        int number = 100;
        for (long part = 1 << 30; part > 0; part = all.share(host(number)).resize(FREE + part) ? part : part / 2) {
            number++;
        }
    }

    /** Returns the beginning of the longest message. */
    private static ByteBuffer part() {
        ByteBuffer part = ByteBuffer.allocate(PART);
        part.putInt(0, ControlCodec.MAX_FRAME_BYTES);
        return part;
    }

    @Test
    void whenAMessageIsIncompleteThenItsBytesAreCounted() {
        ControlRig rig = new ControlRig();
        rig.welcomed(from(2)).onBytes(part());
        assertThat(rig.context.unfinished.total()).isEqualTo(PART - FREE);
    }

    @Test
    void whenAConnectionWithAnIncompleteMessageEndsThenItsBytesAreNotCounted() {
        ControlRig rig = new ControlRig();
        ServerConnection client = rig.welcomed(from(2));
        client.onBytes(part());
        client.onWireEnd("gone");
        assertThat(rig.context.unfinished.total()).isZero();
    }

    @Test
    void whenNoBytesAreLeftThenAConnectionWithAnIncompleteMessageEnds() {
        ControlRig rig = new ControlRig();
        exhaust(rig.context.unfinished);
        MemoryWire wire = from(2);
        rig.welcomed(wire).onBytes(part());
        assertThat(wire.takeSent())
                .singleElement()
                .isInstanceOfSatisfying(
                        ControlMessage.Goodbye.class,
                        goodbye -> assertThat(goodbye.reason()).contains("unfinished messages"));
    }

    @Test
    void whenNoBytesAreLeftThenAHandshakeWithAnIncompleteMessageIsRejected() {
        ControlRig rig = new ControlRig();
        exhaust(rig.context.unfinished);
        MemoryWire wire = from(2);
        rig.accept(wire).onBytes(part());
        assertThat(wire.takeSent()).singleElement().isInstanceOf(ControlMessage.Rejection.class);
    }

    @Test
    void whenNoBytesAreLeftThenOrdinaryMessagesAreAccepted() {
        ControlRig rig = new ControlRig();
        exhaust(rig.context.unfinished);
        MemoryWire wire = from(2);
        rig.say(rig.welcomed(wire), ControlRig.open(1));
        assertThat(wire.takeSent()).singleElement().isInstanceOf(ControlMessage.Opened.class);
    }

    @Test
    void whenAPeerDoesNotReadAndNoBytesAreLeftThenItsConnectionEnds() {
        ControlRig rig = new ControlRig();
        exhaust(rig.context.unfinished);
        MemoryWire wire = from(2);
        ServerConnection client = rig.welcomed(wire);
        wire.waiting = PART;
        rig.say(client, ControlRig.open(1));
        assertThat(wire.isClosed()).isTrue();
    }

    @Test
    void whenSendingEndsTheConnectionThenItsBytesAreNotCounted() {
        ControlRig rig = new ControlRig();
        MemoryWire wire = from(2);
        ServerConnection client = rig.welcomed(wire);
        client.onBytes(part());
        wire.whenSent = () -> client.onWireEnd("4 MiB wait to be sent");

        client.send(new ControlMessage.Heartbeat());

        assertThat(rig.context.unfinished.total()).isZero();
    }

    @Test
    void whenAConnectionHasEndedThenItsBytesAreNoLongerCounted() {
        UnfinishedBytes.Share share = bytes.share(host(1));
        share.close();
        assertThat(share.resize(FREE + 300)).isTrue();
        assertThat(bytes.total()).isZero();
    }
}
