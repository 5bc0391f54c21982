package io.rdmarpc.cli;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.connect.ConnectionSettings;
import io.rdmarpc.verbs.connect.PortGids;
import io.rdmarpc.verbs.connect.QueuePairConnector;
import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Exercises a port as the engine does: datagrams over UD; READs, WRITEs and atomics over RC. The port is its own peer.
 *
 * <pre>
 *  0        64             64 + BYTES          64 + 2 * BYTES
 *  | atomic | source        | target          |
 * </pre>
 */
final class DeviceTrial implements AutoCloseable {

    static final int ROUNDS = 200;
    static final int BYTES = 16 << 10;

    private static final int SOURCE = 64;
    private static final int TARGET = SOURCE + BYTES;
    private static final int MEMORY_BYTES = TARGET + BYTES;
    private static final int DATAGRAM_BYTES = 128;
    private static final int GRH_BYTES = 40;
    private static final int QKEY = 0x1234_5678;
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final RdmaContext context;
    private final int port;
    private final GidEntry gid;
    private final Arena arena = Arena.ofAuto();
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final MemoryRegion memory;
    private final SendRequests send;
    private final ReceiveRequests receive;
    private final WorkCompletions completions;

    DeviceTrial(RdmaContext context, int port) {
        this.context = context;
        this.port = port;
        this.gid = new PortGids(context.deviceName(), port, context.gidTable(port)).choose(PortGids.BY_TYPE);
        this.domain = context.allocateProtectionDomain();
        this.queue = context.createCompletionQueue(16);
        this.memory = domain.registerMemory(
                arena.allocate(MEMORY_BYTES, 4096),
                Set.of(
                        AccessFlag.LOCAL_WRITE,
                        AccessFlag.REMOTE_READ,
                        AccessFlag.REMOTE_WRITE,
                        AccessFlag.REMOTE_ATOMIC));
        this.send = SendRequests.allocate(arena, 1, 1);
        this.receive = ReceiveRequests.allocate(arena, 1);
        this.completions = WorkCompletions.allocate(arena, 2);
    }

    /** Sends datagrams to itself; a received datagram is preceded by a GRH. Returns the number of rounds. */
    int datagrams() {
        try (QueuePair qp = queuePair(QueuePairType.UD);
                AddressHandle self = domain.createAddressHandle(AddressHandleAttributes.to(
                        gid.gid(), context.queryPort(port).lid(), gid.index(), port))) {
            readyForDatagrams(qp);
            for (int round = 0; round < ROUNDS; round++) {
                receive.set(0, 1, memory.address() + TARGET, GRH_BYTES + DATAGRAM_BYTES, memory.lkey());
                receive.chain(0, 1);
                check("ibv_post_recv", qp.postReceive(receive, 0));
                fill(round, DATAGRAM_BYTES);
                send.set(0, 2, SendOpcode.SEND, SendFlags.SIGNALED, 1);
                send.setSge(0, 0, memory.address() + SOURCE, DATAGRAM_BYTES, memory.lkey());
                send.setDatagram(0, self.handle(), qp.number(), QKEY);
                post(qp, 2);
                compare(TARGET + GRH_BYTES, DATAGRAM_BYTES);
            }
        }
        return ROUNDS;
    }

    /** Exercises RDMA READ and WRITE of several packets each, and FETCH_AND_ADD. Returns the number of rounds. */
    int connected() {
        try (QueuePair here = queuePair(QueuePairType.RC);
                QueuePair there = queuePair(QueuePairType.RC)) {
            connect(here, there);
            for (int round = 0; round < ROUNDS; round++) {
                move(here, SendOpcode.RDMA_READ, round, TARGET, SOURCE);
                move(here, SendOpcode.RDMA_WRITE, round, SOURCE, TARGET);
                add(here, round);
            }
        }
        return ROUNDS;
    }

    private void move(QueuePair qp, int opcode, int round, int local, int remote) {
        fill(round, BYTES);
        send.set(0, 1, opcode, SendFlags.SIGNALED, 1);
        send.setSge(0, 0, memory.address() + local, BYTES, memory.lkey());
        send.setRemote(0, memory.address() + remote, memory.rkey());
        post(qp, 1);
        compare(TARGET, BYTES);
    }

    private void add(QueuePair qp, int round) {
        send.set(0, 1, SendOpcode.ATOMIC_FETCH_AND_ADD, SendFlags.SIGNALED, 1);
        send.setSge(0, 0, memory.address() + TARGET, Long.BYTES, memory.lkey());
        send.setFetchAndAdd(0, memory.address(), memory.rkey(), 1);
        post(qp, 1);
        require(memory.segment().get(ValueLayout.JAVA_LONG, TARGET) == round, "FETCH_AND_ADD returned a wrong value");
    }

    private QueuePair queuePair(QueuePairType type) {
        return domain.createQueuePair(
                new QueuePairConfig(type, queue, queue, new QueuePairCapabilities(4, 4, 1, 1, 0), false));
    }

    private void readyForDatagrams(QueuePair qp) {
        qp.modify(new QueuePairAttributes()
                .state(QueuePairState.INIT)
                .pkeyIndex(0)
                .portNumber(port)
                .qkey(QKEY));
        qp.modify(new QueuePairAttributes().state(QueuePairState.RTR));
        qp.modify(new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(0));
    }

    private void connect(QueuePair here, QueuePair there) {
        // This path MTU fits an interface MTU of 1500 bytes, and splits a message into several packets.
        ConnectionSettings settings = ConnectionSettings.DEFAULTS
                .withPathMtu(PathMtu.MTU_1024)
                .withAccess(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);
        QueuePairConnector mine = QueuePairConnector.prepare(here, context, port, gid, settings);
        QueuePairConnector other = QueuePairConnector.prepare(there, context, port, gid, settings);
        mine.complete(other.endpoint());
        other.complete(mine.endpoint());
    }

    /** Fills the source with a different value in each round, and clears the target. */
    private void fill(int round, int bytes) {
        MemorySegment segment = memory.segment();
        segment.asSlice(SOURCE, bytes).fill((byte) (round + 1));
        segment.asSlice(TARGET).fill((byte) 0);
    }

    private void compare(int at, int bytes) {
        MemorySegment segment = memory.segment();
        require(
                segment.asSlice(SOURCE, bytes).mismatch(segment.asSlice(at, bytes)) < 0,
                "the received bytes differ from the sent ones");
    }

    private void post(QueuePair qp, int expected) {
        send.chain(0, 1);
        check("ibv_post_send", qp.postSend(send, 0));
        long end = System.nanoTime() + LIMIT_NANOS;
        int left = expected;
        while (left > 0) {
            int polled = queue.poll(completions, left);
            check("ibv_poll_cq", Math.max(0, -polled));
            for (int i = 0; i < polled; i++) {
                int status = completions.status(i);
                require(status == CompletionStatus.SUCCESS, "completion status " + status);
            }
            left -= polled;
            require(left == 0 || System.nanoTime() - end < 0, "no completion within 3 s");
        }
    }

    private void check(String verb, int errno) {
        if (errno != 0) {
            throw new RdmaVerbsException(
                    verb, context.deviceName(), errno, "The engine needs this verb: run the doctor command");
        }
    }

    private static void require(boolean good, String problem) {
        if (!good) {
            throw new RdmaException(problem);
        }
    }

    @Override
    public void close() {
        memory.close();
        queue.close();
        domain.close();
    }
}
