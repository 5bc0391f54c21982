package io.rdmarpc.verbs.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.connect.ConnectionSettings;
import io.rdmarpc.verbs.connect.QueuePairConnector;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;

/** Two connected queue pairs, one of each end, with the requests of most cases. */
final class Connection implements AutoCloseable {

    static final ConnectionSettings OPEN = ConnectionSettings.DEFAULTS
            .withAccess(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC)
            .withReads(4, 4);

    /** Offset of messages, so that there is memory before them. */
    static final int AT = 1024;

    final VerbsFixture fixture;
    final End here;
    final End there;
    final QueuePair qp;
    final QueuePair peer;
    final MemoryRegion local;
    final MemoryRegion remote;

    Connection(VerbsFixture fixture, QueuePair qp, QueuePair peer) {
        this.fixture = fixture;
        this.here = fixture.here;
        this.there = fixture.there;
        this.qp = qp;
        this.peer = peer;
        this.local = fixture.local;
        this.remote = fixture.remote;
    }

    Connection connect() {
        return connect(OPEN);
    }

    Connection connect(ConnectionSettings settings) {
        return connect(settings, settings);
    }

    /** Moves both queue pairs from any state to RTS. */
    Connection connect(ConnectionSettings ofHere, ConnectionSettings ofThere) {
        reset();
        QueuePairConnector one = prepare(here, qp, ofHere);
        QueuePairConnector other = prepare(there, peer, ofThere);
        one.complete(other.endpoint());
        other.complete(one.endpoint());
        return this;
    }

    Connection reset() {
        VerbsFixture.reset(qp);
        VerbsFixture.reset(peer);
        here.drain();
        there.drain();
        return this;
    }

    private static QueuePairConnector prepare(End end, QueuePair qp, ConnectionSettings settings) {
        return QueuePairConnector.prepare(qp, end.context, VerbsFixture.PORT, end.gid, settings);
    }

    int mtuBytes() {
        return qp.query().pathMtu().bytes();
    }

    static ConnectionSettings withMtu(PathMtu mtu) {
        return OPEN.withPathMtu(mtu);
    }

    // ---- requests ----

    /** Sets a request with one entry between the memory of both ends. */
    SendRequests request(int index, long wrId, int opcode, long offset, int length) {
        here.request(index, wrId, opcode, local, offset, length);
        here.sends.setRemote(index, remote.address() + offset, remote.rkey());
        return here.sends;
    }

    SendRequests request(long wrId, int opcode, int length) {
        return request(0, wrId, opcode, AT, length);
    }

    void post() {
        here.post(qp);
    }

    void post(long wrId, int opcode, int length) {
        request(wrId, opcode, length);
        post();
    }

    void receive(long wrId, long offset, int length) {
        there.receive(peer, wrId, remote, offset, length);
    }

    void receive(long wrId, int length) {
        receive(wrId, AT, length);
    }

    /** Sets a fetch-and-add on a word of the peer; the original value goes to the same offset of this end. */
    void fetchAndAdd(int index, long wrId, long offset, long add) {
        request(index, wrId, SendOpcode.ATOMIC_FETCH_AND_ADD, offset, 8);
        here.sends.setFetchAndAdd(index, remote.address() + offset, remote.rkey(), add);
    }

    void compareAndSwap(int index, long wrId, long offset, long compare, long swap) {
        request(index, wrId, SendOpcode.ATOMIC_CMP_AND_SWP, offset, 8);
        here.sends.setCompareAndSwap(index, remote.address() + offset, remote.rkey(), compare, swap);
    }

    // ---- results ----

    Completion sent(long wrId) {
        Completion completion = fixture.success(here, wrId);
        assertThat(completion.qpn()).isEqualTo(qp.number());
        return completion;
    }

    Completion received(long wrId) {
        Completion completion = fixture.success(there, wrId);
        assertThat(completion.qpn()).isEqualTo(peer.number());
        return completion;
    }

    /** Checks that the posted request ends with one of these statuses and that this end is in ERR. */
    Completion awaitFailure(String... statuses) {
        Completion completion = fixture.next(here);
        assertThat(completion.statusText()).as("%s", completion).isIn((Object[]) statuses);
        assertThat(completion.qpn()).isEqualTo(qp.number());
        fixture.awaitState(qp, QueuePairState.ERR);
        return completion;
    }

    /** Checks that the connection still delivers a message. */
    void assertWorks() {
        VerbsFixture.fill(local, AT, 100, 99);
        VerbsFixture.clear(remote, AT, 100);
        receive(9001, 100);
        post(9002, SendOpcode.SEND, 100);
        sent(9002);
        received(9001);
        VerbsFixture.assertSame(local, AT, remote, AT, 100);
    }

    @Override
    public void close() {
        qp.close();
        peer.close();
    }
}
