package io.rdmarpc.verbs.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.GidType;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One end: an open device with the objects that most cases need. */
final class End implements AutoCloseable {

    static final int DEPTH = 32;
    static final int SGES = 4;
    static final int INLINE = 64;
    static final int QKEY = 0x1111_2222;

    /** All rights that a peer can have. */
    static final Set<AccessFlag> EVERYTHING = EnumSet.of(
            AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);

    private static final int BATCH = 16;

    final Arena arena = Arena.ofShared();
    final RdmaContext context;
    final ProtectionDomain domain;
    final CompletionQueue cq;
    final GidEntry gid;

    /** The requests to fill; each post copies them. */
    final SendRequests sends = SendRequests.allocate(arena, 64, 32);

    final ReceiveRequests receives = ReceiveRequests.allocate(arena, 64, 32);
    private final WorkCompletions batch = WorkCompletions.allocate(arena, BATCH);
    private final Deque<Completion> taken = new ArrayDeque<>();

    End(SuiteProvider provider) {
        context = provider.open();
        domain = context.allocateProtectionDomain();
        cq = context.createCompletionQueue(512);
        gid = context.gidTable(VerbsFixture.PORT).stream()
                .filter(entry -> entry.type() == GidType.ROCE_V2 && entry.gid().isIpv4Mapped())
                .findFirst()
                .orElseThrow();
    }

    // ---- memory ----

    MemoryRegion register(long bytes, Set<AccessFlag> access) {
        return domain.registerMemory(arena.allocate(bytes, 64), access);
    }

    MemoryRegion register(long bytes, AccessFlag... access) {
        EnumSet<AccessFlag> flags = EnumSet.noneOf(AccessFlag.class);
        flags.addAll(List.of(access));
        return register(bytes, flags);
    }

    // ---- queue pairs ----

    /** Disables checks: the suite tests the behavior of the provider itself. */
    QueuePairConfig config(QueuePairType type) {
        return config(type, cq, cq).unchecked();
    }

    QueuePairConfig config(QueuePairType type, CompletionQueue forSends, CompletionQueue forReceives) {
        QueuePairCapabilities sizes = new QueuePairCapabilities(DEPTH, DEPTH, SGES, SGES, 0);
        return new QueuePairConfig(type, forSends, forReceives, sizes, false);
    }

    QueuePair create(QueuePairType type) {
        return domain.createQueuePair(config(type));
    }

    QueuePairAttributes toInit(QueuePairType type) {
        QueuePairAttributes attributes = new QueuePairAttributes()
                .state(QueuePairState.INIT)
                .pkeyIndex(0)
                .portNumber(VerbsFixture.PORT);
        return type == QueuePairType.UD ? attributes.qkey(QKEY) : attributes.accessFlags(0);
    }

    /** Moves a datagram queue pair to RTS. */
    QueuePair ready(QueuePair datagrams) {
        datagrams.modify(toInit(QueuePairType.UD));
        datagrams.modify(new QueuePairAttributes().state(QueuePairState.RTR));
        datagrams.modify(new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(7));
        return datagrams;
    }

    AddressHandleAttributes routeTo(End peer) {
        int lid = peer.context.queryPort(VerbsFixture.PORT).lid();
        return AddressHandleAttributes.to(peer.gid.gid(), lid, gid.index(), VerbsFixture.PORT);
    }

    AddressHandle handleTo(End peer) {
        return domain.createAddressHandle(routeTo(peer));
    }

    // ---- requests ----

    /** Sets a signaled send with one entry as the end of the list. */
    SendRequests request(int index, long wrId, int opcode, MemoryRegion from, long offset, int length) {
        sends.set(index, wrId, opcode, SendFlags.SIGNALED, 1);
        sends.setSge(index, 0, from.address() + offset, length, from.lkey());
        sends.setImmediate(index, 0);
        sends.setNext(index, -1);
        return sends;
    }

    void post(QueuePair qp) {
        assertThat(qp.postSend(sends, 0)).as("post_send").isZero();
    }

    void receive(QueuePair qp, long wrId, MemoryRegion into, long offset, int length) {
        receives.set(0, wrId, into.address() + offset, length, into.lkey());
        receives.setNext(0, -1);
        assertThat(qp.postReceive(receives, 0)).as("post_recv").isZero();
    }

    // ---- completions ----

    /** Polls the completion queue of this end. */
    void poll() {
        poll(cq);
    }

    /** Polls another completion queue of this end, and adds the completions to the others. */
    void poll(CompletionQueue queue) {
        int count = queue.poll(batch, BATCH);
        assertThat(count).as("poll_cq").isNotNegative();
        for (int i = 0; i < count; i++) {
            taken.add(Completion.of(batch, i));
        }
    }

    /** Returns the oldest completion, or null; does not poll. */
    @Nullable
    Completion take() {
        return taken.poll();
    }

    /** Drops all completions. */
    void drain() {
        do {
            taken.clear();
            poll();
        } while (!taken.isEmpty());
    }

    @Override
    public void close() {
        context.close();
        arena.close();
    }
}
