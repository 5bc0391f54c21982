package io.rdmarpc.verbs.interop;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.VerbsProviders;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.GidType;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A device with one reliable and one datagram queue pair, and memory: first the source, then the part that the peer
 * accesses.
 */
final class InteropEnd implements AutoCloseable {

    static final int GRH_BYTES = 40;

    /** Guard after the expected bytes, which shows writes beyond them. */
    static final int GUARD_BYTES = 64;

    private static final int PORT = 1;
    private static final int QKEY = 0x1234_5678;
    private static final int PSN_LIMIT = 1 << 24;
    private static final int PAGE = 4096;
    private static final int READS = 4;
    private static final int PEER_RIGHTS =
            AccessFlag.REMOTE_READ.bit() | AccessFlag.REMOTE_WRITE.bit() | AccessFlag.REMOTE_ATOMIC.bit();
    private static final long PATIENCE_NANOS = 120_000_000_000L;

    /** A completion, copied. */
    record Completion(int status, int opcode, int bytes, int immediate, int sourceQp, int flags) {}

    private final Arena arena = Arena.ofShared();
    private final int psn = ThreadLocalRandom.current().nextInt(PSN_LIMIT);
    private final RdmaContext context;
    private final ProtectionDomain domain;
    private final CompletionQueue cq;
    private final GidEntry gid;
    private final QueuePair rc;
    private final QueuePair ud;
    private final int areaBytes;
    private final MemoryRegion memory;
    private final SendRequests send = SendRequests.allocate(arena, 1, 1);
    private final ReceiveRequests receive = ReceiveRequests.allocate(arena, 1);
    private final WorkCompletions polled = WorkCompletions.allocate(arena, 16);
    private final Map<Long, Completion> completed = new HashMap<>();
    private InteropAddress peer;
    private AddressHandle handle;

    InteropEnd(String provider, String device, Map<String, String> options, int largest) {
        context = VerbsProviders.open(provider, device, PORT, options).context();
        domain = context.allocateProtectionDomain();
        cq = context.createCompletionQueue(64);
        gid = context.gidTable(PORT).stream()
                .filter(entry -> entry.type() == GidType.ROCE_V2 && entry.gid().isIpv4Mapped())
                .findFirst()
                .orElseThrow();
        rc = create(QueuePairType.RC);
        ud = create(QueuePairType.UD);
        areaBytes = (largest + GRH_BYTES + GUARD_BYTES + PAGE - 1) / PAGE * PAGE;
        memory = domain.registerMemory(
                arena.allocate(2L * areaBytes, PAGE),
                EnumSet.of(
                        AccessFlag.LOCAL_WRITE,
                        AccessFlag.REMOTE_READ,
                        AccessFlag.REMOTE_WRITE,
                        AccessFlag.REMOTE_ATOMIC));
    }

    private QueuePair create(QueuePairType type) {
        return domain.createQueuePair(
                new QueuePairConfig(type, cq, cq, new QueuePairCapabilities(4, 4, 1, 1, 0), false));
    }

    InteropAddress address() {
        int lid = context.queryPort(PORT).lid();
        return new InteropAddress(
                rc.number(), ud.number(), psn, lid, gid.gid(), memory.rkey(), memory.address() + areaBytes);
    }

    void connect(InteropAddress to, PathMtu mtu, int timeout) {
        peer = to;
        AddressHandleAttributes route = AddressHandleAttributes.to(to.gid(), to.lid(), gid.index(), PORT);
        rc.modify(toInit().accessFlags(PEER_RIGHTS));
        rc.modify(new QueuePairAttributes()
                .state(QueuePairState.RTR)
                .addressVector(route)
                .pathMtu(mtu)
                .destinationQpn(to.rc())
                .receivePsn(to.psn())
                .maxDestReadAtomic(READS)
                .minRnrTimer(12));
        rc.modify(new QueuePairAttributes()
                .state(QueuePairState.RTS)
                .sendPsn(psn)
                .timeout(timeout)
                .retryCount(7)
                .rnrRetry(7)
                .maxReadAtomic(READS));
        ud.modify(toInit().qkey(QKEY));
        ud.modify(new QueuePairAttributes().state(QueuePairState.RTR));
        ud.modify(new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(psn));
        handle = domain.createAddressHandle(route);
    }

    private static QueuePairAttributes toInit() {
        return new QueuePairAttributes().state(QueuePairState.INIT).pkeyIndex(0).portNumber(PORT);
    }

    InteropAddress peer() {
        return peer;
    }

    int ipv4() {
        return gid.gid().ipv4();
    }

    /** Returns the source of a message, or the target of a READ. */
    MemorySegment outgoing() {
        return memory.segment().asSlice(0, areaBytes);
    }

    /** Returns the memory that the peer accesses. */
    MemorySegment exposed() {
        return memory.segment().asSlice(areaBytes);
    }

    void postReceive(boolean datagram, long id, int length) {
        receive.set(0, id, memory.address() + areaBytes, length, memory.lkey());
        receive.chain(0, 1);
        check((datagram ? ud : rc).postReceive(receive, 0), "post_recv");
    }

    void post(InteropCase test) {
        InteropOperation operation = test.operation();
        send.set(0, test.number(), operation.opcode(), SendFlags.SIGNALED, 1);
        send.setSge(0, 0, memory.address(), test.size(), memory.lkey());
        send.setImmediate(0, test.immediate());
        switch (operation) {
            case DATAGRAM, DATAGRAM_WITH_IMM -> send.setDatagram(0, handle.handle(), peer.ud(), QKEY);
            case COMPARE_AND_SWAP, COMPARE_IN_VAIN ->
                send.setCompareAndSwap(0, peer.memory(), peer.rkey(), test.compare(), test.swapOrAdd());
            case FETCH_AND_ADD -> send.setFetchAndAdd(0, peer.memory(), peer.rkey(), test.swapOrAdd());
            default -> send.setRemote(0, peer.memory(), peer.rkey());
        }
        send.chain(0, 1);
        check((operation.isDatagram() ? ud : rc).postSend(send, 0), "post_send");
    }

    private static void check(int errno, String verb) {
        if (errno != 0) {
            throw new IllegalStateException(verb + ": errno " + errno);
        }
    }

    /** Waits for a completion, which must be successful. */
    Completion await(long id) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!completed.containsKey(id)) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("no completion of " + id);
            }
            poll();
        }
        Completion completion = completed.remove(id);
        if (completion.status() != CompletionStatus.SUCCESS) {
            throw new IllegalStateException(CompletionStatus.describe(completion.status()));
        }
        return completion;
    }

    /** Lets the device make progress. */
    void poll() {
        int count = cq.poll(polled, polled.capacity());
        for (int i = 0; i < count; i++) {
            completed.put(
                    polled.wrId(i),
                    new Completion(
                            polled.status(i),
                            polled.opcode(i),
                            polled.byteLength(i),
                            polled.immediate(i),
                            polled.sourceQp(i),
                            polled.flags(i)));
        }
        if (count == 0) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        context.close();
        arena.close();
    }
}
