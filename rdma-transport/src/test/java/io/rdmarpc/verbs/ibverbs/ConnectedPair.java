package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.connect.ConnectionSettings;
import io.rdmarpc.verbs.connect.QueuePairConnector;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendRequests;

/** Two queue pairs of one device, connected, and the requests that most tests post on them. */
final class ConnectedPair {

    static final int SIZE = 8192;
    static final QueuePairCapabilities SMALL = new QueuePairCapabilities(16, 16, 2, 2, 64);
    static final ConnectionSettings OPEN = ConnectionSettings.DEFAULTS
            .withAccess(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC)
            .withReads(4, 4);

    final DeviceFixture fixture;
    final QueuePair one;
    final QueuePair other;

    /** Memory of one end, for local access. */
    final MemoryRegion local;

    /** Memory of the other end, for access by its peer. */
    final MemoryRegion remote;

    final SendRequests sends;
    final ReceiveRequests receives;

    ConnectedPair(DeviceFixture fixture, QueuePairType type) {
        this(fixture, fixture.config(type, SMALL), OPEN);
    }

    ConnectedPair(DeviceFixture fixture, QueuePairConfig config, ConnectionSettings settings) {
        this.fixture = fixture;
        this.one = fixture.domain.createQueuePair(config);
        this.other = fixture.domain.createQueuePair(config);
        connect(fixture, one, other, settings);
        this.local = fixture.register(SIZE, AccessFlag.LOCAL_WRITE);
        this.remote = fixture.register(
                SIZE,
                AccessFlag.LOCAL_WRITE,
                AccessFlag.REMOTE_READ,
                AccessFlag.REMOTE_WRITE,
                AccessFlag.REMOTE_ATOMIC);
        this.sends = SendRequests.allocate(fixture.arena, 64, 40);
        this.receives = ReceiveRequests.allocate(fixture.arena, 64, 40);
    }

    static void connect(DeviceFixture fixture, QueuePair one, QueuePair other, ConnectionSettings settings) {
        QueuePairConnector first = prepare(fixture, one, settings);
        QueuePairConnector second = prepare(fixture, other, settings);
        first.complete(second.endpoint());
        second.complete(first.endpoint());
    }

    static QueuePairConnector prepare(DeviceFixture fixture, QueuePair qp, ConnectionSettings settings) {
        return QueuePairConnector.prepare(qp, fixture.context, DeviceFixture.PORT, fixture.gid, settings);
    }

    /** Sets a request with one entry in local memory. */
    SendRequests request(int index, long wrId, int opcode, int flags, long offset, int length) {
        sends.set(index, wrId, opcode, flags, 1);
        sends.setSge(index, 0, local.address() + offset, length, local.lkey());
        sends.setRemote(index, remote.address(), remote.rkey());
        sends.setNext(index, -1);
        return sends;
    }

    SendRequests request(long wrId, int opcode, int length) {
        return request(0, wrId, opcode, SendFlags.SIGNALED, 0, length);
    }

    void post(SendRequests requests) {
        assertThat(one.postSend(requests, 0)).as("post_send").isZero();
    }

    /** Posts a receive to the other end, in the remote memory. */
    void receive(long wrId, int length) {
        receives.set(0, wrId, remote.address(), length, remote.lkey());
        receives.setNext(0, -1);
        assertThat(other.postReceive(receives, 0)).as("post_recv").isZero();
    }

    /** Waits for this many completions, which are in the entries from 0. */
    void awaitSuccess(int count) {
        fixture.await(count);
        for (int i = 0; i < count; i++) {
            assertThat(status(i))
                    .as("completion of %s", fixture.completions.wrId(i))
                    .isEqualTo("SUCCESS (0)");
        }
    }

    String status(int index) {
        return CompletionStatus.describe(fixture.completions.status(index));
    }

    /** Checks that no further completion arrives for a while. */
    void awaitSilence() throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            assertThat(fixture.cq.poll(fixture.completions, 1))
                    .as("completions")
                    .isZero();
            Thread.sleep(10);
        }
    }
}
