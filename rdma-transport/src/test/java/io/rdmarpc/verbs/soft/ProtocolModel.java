package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a reliable connection with its expected behavior. It has the posted operations and a copy of the
 * target's memory, to which each operation is applied when it is posted. Completions are compared with both. Memory is
 * divided so that no two outstanding operations access the same bytes, except for the cells of atomics, which only
 * atomics access.
 */
final class ProtocolModel {

    static final int LONGEST = 1 << 16;

    private static final int SLOTS = 8;
    private static final int CELLS = 4;
    private static final long SLOT_BYTES = LONGEST + 64;
    private static final long CELLS_AT = SLOTS * SLOT_BYTES;

    /** Bytes of memory on each side. */
    static final long BYTES = CELLS_AT + CELLS * Long.BYTES;

    private final TestNode node;
    private final QueuePair qp;
    private final MemoryRegion source;
    private final TestNode peer;
    private final QueuePair peerQp;
    private final MemoryRegion target;
    private final MemorySegment expected;
    private final SplittableRandom random;
    private final Deque<Operation> posted = new ArrayDeque<>();
    private final Deque<Operation> toReceive = new ArrayDeque<>();
    private final Deque<Operation> receiving = new ArrayDeque<>();
    private final int operations;
    private long count;
    private @Nullable ProtocolModel otherWay;
    private final Deque<Long> postedReceives = new ArrayDeque<>();
    private @Nullable Rejection forbidden;
    private boolean failed;

    /** An invalid operation, and its completion status. */
    private enum Rejection {
        WRONG_REMOTE_KEY(CompletionStatus.REM_ACCESS_ERR),
        AFTER_THE_REGION(CompletionStatus.REM_ACCESS_ERR),
        ODD_ATOMIC(CompletionStatus.REM_INV_REQ_ERR),
        SHORT_RECEIVE(CompletionStatus.REM_INV_REQ_ERR),
        WRONG_OWN_KEY(CompletionStatus.LOC_PROT_ERR);

        private final int status;

        Rejection(int status) {
            this.status = status;
        }
    }

    /** A posted operation with its expected result. */
    private record Operation(
            long wrId,
            int opcode,
            int slot,
            int length,
            long found,
            @Nullable Rejection rejection) {

        /** Returns the length of the receive that it uses. */
        int receiveLength() {
            return rejection == Rejection.SHORT_RECEIVE ? length - 1 : LONGEST;
        }

        boolean takesReceive() {
            return opcode == SendOpcode.SEND
                    || opcode == SendOpcode.SEND_WITH_IMM
                    || opcode == SendOpcode.RDMA_WRITE_WITH_IMM;
        }

        boolean hasImmediate() {
            return opcode == SendOpcode.SEND_WITH_IMM || opcode == SendOpcode.RDMA_WRITE_WITH_IMM;
        }

        boolean isAtomic() {
            return opcode == SendOpcode.ATOMIC_CMP_AND_SWP || opcode == SendOpcode.ATOMIC_FETCH_AND_ADD;
        }
    }

    ProtocolModel(
            TestNode node, QueuePair qp, TestNode peer, QueuePair peerQp, int operations, SplittableRandom random) {
        this.node = node;
        this.qp = qp;
        this.peer = peer;
        this.peerQp = peerQp;
        this.operations = operations;
        this.random = random;
        this.source = Pair.everythingAllowed(node, BYTES);
        this.target = Pair.everythingAllowed(peer, BYTES);
        Pair.fill(source.segment(), random.nextLong());
        Pair.fill(target.segment(), random.nextLong());
        this.expected = node.arena.allocate(BYTES, 8).copyFrom(target.segment());
    }

    boolean isOver() {
        return posted.isEmpty() && (failed || (count == operations && receiving.isEmpty()));
    }

    boolean hasFailed() {
        return failed;
    }

    /** Sets the other direction of the same connection, which ends with this one. */
    void otherWay(ProtocolModel model) {
        otherWay = model;
    }

    private boolean mayEnd() {
        return forbidden != null || (otherWay != null && otherWay.forbidden != null);
    }

    /** Returns whether this number of operations was posted in each direction. */
    private boolean bothHavePosted(int share) {
        return count >= share && (otherWay == null || otherWay.count >= share);
    }

    // ---- posting ----

    /**
     * Posts an operation from time to time.
     *
     * @param share number of operations that each direction posts before one that must fail
     */
    void maybePost(boolean mayFail, int share) {
        if (count < operations && !failed && forbidden == null && posted.size() < SLOTS && random.nextInt(3) == 0) {
            if (mayFail && bothHavePosted(share) && random.nextInt(10) == 0) {
                postForbidden();
            } else {
                postSomething();
            }
        }
        postDueReceives();
    }

    /** Posts receives before, with or after the message that uses them. */
    private void postDueReceives() {
        while (!toReceive.isEmpty() && random.nextInt(4) > 0) {
            Operation operation = toReceive.remove();
            long at = operation.slot() * SLOT_BYTES;
            assertThat(peer.receive(peerQp, operation.wrId(), target, at, operation.receiveLength()))
                    .isZero();
            postedReceives.add(operation.wrId());
        }
    }

    private int length() {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt(3);
            case 1 -> random.nextInt(600);
            case 2 -> Math.clamp(4096L * random.nextInt(17) + random.nextInt(-1, 2), 0, LONGEST);
            default -> random.nextInt(LONGEST + 1);
        };
    }

    private void postSomething() {
        int opcode = random.nextInt(SendOpcode.ATOMIC_FETCH_AND_ADD + 1);
        int slot = (int) (count % SLOTS);
        boolean atomic = opcode >= SendOpcode.ATOMIC_CMP_AND_SWP;
        int length = atomic ? Long.BYTES : length();
        long at = slot * SLOT_BYTES;
        long found = 0;
        int flags = SendFlags.SIGNALED | (random.nextInt(5) == 0 ? SendFlags.FENCE : 0);
        node.sends.set(0, count, opcode, flags, 1);
        node.sends.setSge(0, 0, source.address() + at, length, source.lkey());
        node.sends.setRemote(0, target.address() + at, target.rkey());
        if (atomic) {
            found = setAtomic(opcode);
        } else if (opcode != SendOpcode.RDMA_READ) {
            // The sender's bytes are new each time, so that an old packet cannot be mistaken for a new one.
            Pair.fill(source.segment().asSlice(at, length), random.nextLong());
            MemorySegment.copy(source.segment(), at, expected, at, length);
        }
        Operation operation = new Operation(count, opcode, slot, length, found, null);
        node.sends.setImmediate(0, TestNode.immediateOf(count));
        post(operation);
        if (operation.takesReceive()) {
            toReceive.add(operation);
            receiving.add(operation);
        }
    }

    private long setAtomic(int opcode) {
        long at = CELLS_AT + random.nextInt(CELLS) * 8L;
        long found = expected.get(ValueLayout.JAVA_LONG, at);
        if (opcode == SendOpcode.ATOMIC_FETCH_AND_ADD) {
            long add = random.nextLong();
            node.sends.setFetchAndAdd(0, target.address() + at, target.rkey(), add);
            expected.set(ValueLayout.JAVA_LONG, at, found + add);
        } else {
            boolean hits = random.nextBoolean();
            long swap = random.nextLong();
            node.sends.setCompareAndSwap(0, target.address() + at, target.rkey(), hits ? found : ~found, swap);
            expected.set(ValueLayout.JAVA_LONG, at, hits ? swap : found);
        }
        return found;
    }

    /** Posts an invalid operation, the last one of this direction. */
    private void postForbidden() {
        Rejection rejection = Rejection.values()[random.nextInt(Rejection.values().length)];
        forbidden = rejection;
        int opcode = forbiddenOpcode(rejection);
        int slot = (int) (count % SLOTS);
        int length = rejection == Rejection.ODD_ATOMIC ? Long.BYTES : 5000;
        node.sends.set(0, count, opcode, SendFlags.SIGNALED, 1);
        node.sends.setSge(
                0,
                0,
                source.address() + slot * SLOT_BYTES,
                length,
                source.lkey() ^ (rejection == Rejection.WRONG_OWN_KEY ? 1 : 0));
        setForbiddenTarget(rejection, slot);
        Operation operation = new Operation(count, opcode, slot, length, 0, rejection);
        post(operation);
        if (operation.takesReceive()) {
            toReceive.add(operation);
            receiving.add(operation);
        }
    }

    private int forbiddenOpcode(Rejection rejection) {
        return switch (rejection) {
            case ODD_ATOMIC -> random.nextBoolean() ? SendOpcode.ATOMIC_FETCH_AND_ADD : SendOpcode.ATOMIC_CMP_AND_SWP;
            case SHORT_RECEIVE -> SendOpcode.SEND;
            default -> random.nextBoolean() ? SendOpcode.RDMA_WRITE : SendOpcode.RDMA_READ;
        };
    }

    private void setForbiddenTarget(Rejection rejection, int slot) {
        switch (rejection) {
            case WRONG_REMOTE_KEY -> node.sends.setRemote(0, target.address(), target.rkey() ^ 1);
            case AFTER_THE_REGION -> node.sends.setRemote(0, target.address() + BYTES - 10, target.rkey());
            case ODD_ATOMIC -> node.sends.setFetchAndAdd(0, target.address() + CELLS_AT + 4, target.rkey(), 1);
            default -> node.sends.setRemote(0, target.address() + slot * SLOT_BYTES, target.rkey());
        }
    }

    private void post(Operation operation) {
        node.sends.chain(0, 1);
        assertThat(qp.postSend(node.sends, 0)).isZero();
        posted.add(operation);
        count++;
    }

    // ---- completions ----

    void onSendCompletion(TestNode.Completion completion) {
        Operation operation = posted.remove();
        assertThat(completion.wrId()).as("in order, each once").isEqualTo(operation.wrId());
        if (failed) {
            assertThat(completion.status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        } else if (completion.status() != CompletionStatus.SUCCESS) {
            onFailure(operation, completion);
        } else {
            onSuccess(operation, completion);
        }
    }

    /**
     * The rejected request fails with the status of the NAK. If the NAK is lost, it fails because the peer has ended
     * the connection. The same applies to an earlier request whose response was lost, and to all requests of the other
     * direction.
     */
    private void onFailure(Operation operation, TestNode.Completion completion) {
        failed = true;
        assertThat(mayEnd()).as("nothing forbidden was posted: %s", completion).isTrue();
        boolean rejected = forbidden != null && completion.status() == forbidden.status;
        boolean lost = completion.status() == CompletionStatus.RETRY_EXC_ERR;
        boolean ended =
                completion.status() == CompletionStatus.WR_FLUSH_ERR && otherWay != null && otherWay.forbidden != null;
        assertThat(rejected || lost || ended)
                .as("%s ends with %s", operation, completion)
                .isTrue();
    }

    private void onSuccess(Operation operation, TestNode.Completion completion) {
        assertThat(operation.rejection()).as("must have failed").isNull();
        long at = operation.slot() * SLOT_BYTES;
        if (operation.isAtomic()) {
            assertThat(completion.opcode())
                    .isEqualTo(
                            operation.opcode() == SendOpcode.ATOMIC_CMP_AND_SWP
                                    ? CompletionOpcode.COMP_SWAP
                                    : CompletionOpcode.FETCH_ADD);
            assertThat(source.segment().get(ValueLayout.JAVA_LONG, at)).isEqualTo(operation.found());
        } else {
            long end = at + operation.length();
            assertThat(MemorySegment.mismatch(source.segment(), at, end, expected, at, end))
                    .isEqualTo(-1);
            assertThat(MemorySegment.mismatch(target.segment(), at, end, expected, at, end))
                    .isEqualTo(-1);
        }
    }

    /** Receives complete in the order in which they were posted, with or without a message. */
    void onReceiveCompletion(TestNode.Completion completion) {
        assertThat(completion.wrId()).as("in order, each once").isEqualTo(postedReceives.remove());
        if (completion.status() == CompletionStatus.WR_FLUSH_ERR) {
            assertThat(mayEnd()).isTrue();
            return;
        }
        Operation operation = receiving.remove();
        assertThat(completion.wrId()).as("in order, each once").isEqualTo(operation.wrId());
        if (operation.rejection() == Rejection.SHORT_RECEIVE) {
            assertThat(completion.status()).isEqualTo(CompletionStatus.LOC_LEN_ERR);
            return;
        }
        assertThat(completion.status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(completion.byteLength()).isEqualTo(operation.length());
        if (operation.hasImmediate()) {
            assertThat(completion.immediate()).isEqualTo(TestNode.immediateOf(operation.wrId()));
        }
    }

    /** Checks that every byte of the target equals the model. */
    void checkMemory() {
        assertThat(target.segment().mismatch(expected)).isEqualTo(-1);
    }
}
