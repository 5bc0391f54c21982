package io.rdmarpc.rpc.engine;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.RpcStream;
import io.rdmarpc.rpc.StreamReceiver;
import io.rdmarpc.rpc.engine.context.Expect;
import io.rdmarpc.rpc.engine.stream.EngineStream;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.verbs.error.RdmaException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One end of a stream in a {@link Simulation}. It checks that each message it receives is the other end's next message
 * with the correct bytes, and that the end is reported once, after all messages. A message contains its sender:
 *
 * <pre>
 *   sender 8 | sequence 8 | bytes of both ...
 * </pre>
 */
final class SimStream implements StreamReceiver {

    private static final int MIN_BYTES = 16;
    private static final int MAX_SENT = 60;

    private final Simulation simulation;
    /** The process of this end. */
    final SimNode node;

    final long id;
    private final int packet;
    private final List<InboundMessage> kept = new ArrayList<>();
    private @Nullable RpcStream stream;
    private @Nullable SimStream peer;
    private long sent;
    private long received;
    private boolean completed;
    private boolean ended;
    private boolean failed;

    SimStream(Simulation simulation, SimNode node, long id, int packet) {
        this.simulation = simulation;
        this.node = node;
        this.id = id;
        this.packet = packet;
    }

    void is(RpcStream opened) {
        stream = opened;
    }

    private RpcStream stream() {
        return Expect.present(stream);
    }

    /** Returns the number of ring entries that are reserved for it. */
    int ringEntries() {
        return ((EngineStream) stream()).ringEntries();
    }

    boolean isOver() {
        return ((EngineStream) stream()).isOver();
    }

    /** Performs a random action that its user may perform at any time. */
    void act(SplittableRandom random) {
        if (failed) {
            closeKept();
            return;
        }
        int what = random.nextInt(200);
        if (what < 2) {
            complete();
        } else if (what < 3) {
            abort(random);
        } else if (what < 28) {
            stream().request(1 + random.nextInt(8));
        } else if (what < 43) {
            closeKept();
        } else {
            offer(random);
        }
    }

    /** Stops everything except waiting for the end. */
    void quiesce() {
        closeKept();
        if (!failed) {
            complete();
            stream().request(RpcStream.MAX_CREDITS);
        }
    }

    private void complete() {
        completed = true;
        stream().complete();
    }

    private void abort(SplittableRandom random) {
        completed = true;
        if (random.nextBoolean()) {
            stream().cancel();
        } else {
            stream().fail(RpcStatus.HANDLER_FAILED, "", "on purpose");
        }
    }

    private void offer(SplittableRandom random) {
        for (int i = 1 + random.nextInt(6); i > 0 && !completed && !failed && sent < MAX_SENT; i--) {
            int length =
                    MIN_BYTES + (random.nextInt(6) == 0 ? packet + random.nextInt(20_000) : random.nextInt(packet));
            if (!offer(length)) {
                return;
            }
        }
    }

    private boolean offer(int length) {
        MessageBuffer message;
        try {
            message = stream().allocate(length);
        } catch (RdmaException e) {
            return false;
        }
        MemorySegment to = message.segment();
        to.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, id);
        to.set(ValueLayout.JAVA_LONG_UNALIGNED, 8, sent);
        SimMessage.fill(to, id + sent, MIN_BYTES, length);
        message.length(length);
        boolean taken = false;
        try {
            taken = stream().offer(message);
        } catch (RdmaRpcException e) {
            simulation.check(((EngineStream) stream()).isFailed(), "a working end rejects a message: " + e);
        }
        if (taken) {
            sent++;
        } else {
            simulation.onStreamWait();
            message.close();
        }
        return taken;
    }

    @Override
    public void onItem(InboundMessage message) {
        simulation.check(!ended && !failed, "a message arrived after the end of stream " + id);
        simulation.onStreamItem();
        check(message, received++);
        if (simulation.keepsItem()) {
            kept.add(message);
        } else {
            message.close();
        }
    }

    private void check(InboundMessage message, long expected) {
        MemorySegment bytes = message.payload();
        long sender = bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
        long sequence = bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, 8);
        SimStream from = simulation.stream(sender);
        simulation.check(from != null && from != this, "a message of an unknown sender on stream " + id);
        simulation.check(peer == null || peer == from, "a message of another stream on stream " + id);
        peer = from;
        simulation.check(sequence == expected, "message " + sequence + " arrived instead of " + expected);
        simulation.check(
                SimMessage.holds(bytes, sender + sequence, MIN_BYTES, message.length()),
                "message " + sequence + " of stream " + sender + " has wrong bytes");
    }

    /** Closes messages that were read slowly, after checking that they have not changed. */
    void closeKept() {
        for (InboundMessage message : kept) {
            MemorySegment bytes = message.payload();
            check(message, bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, 8));
            message.close();
        }
        kept.clear();
    }

    @Override
    public void onEnd() {
        simulation.check(!ended && !failed, "the end of stream " + id + " was reported twice");
        ended = true;
        simulation.check(
                peer == null || (peer.completed && received == peer.sent),
                "stream " + id + " has ended with " + received + " messages");
        simulation.onStreamEnd();
    }

    @Override
    public void onFailure(RdmaRpcException reason) {
        simulation.check(!failed, "stream " + id + " has failed twice");
        failed = true;
    }

    @Override
    public void onWritable() {
        simulation.check(!failed, "stream " + id + " was reported as writable after its failure");
        simulation.onStreamWritable();
    }
}
