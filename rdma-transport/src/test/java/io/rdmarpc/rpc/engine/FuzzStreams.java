package io.rdmarpc.rpc.engine;

import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.RpcStream;
import io.rdmarpc.rpc.StreamReceiver;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.engine.stream.EngineStream;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.wire.StreamOpening;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Users of streams at an engine that receives random packets. They do anything that is allowed, and check their
 * notifications.
 */
final class FuzzStreams {

    /** A method that accepts streams. */
    static final int METHOD = 7;

    private static final int MAX_CREDITS = 8;
    private static final int MAX_OPEN = 6;
    private static final int MAX_KEPT = 40;
    private static final int LARGE = 5_000;

    private final SplittableRandom random;
    private final List<User> users = new ArrayList<>();
    private final ArrayDeque<InboundMessage> kept = new ArrayDeque<>();
    /** Notifications that the engine must not send to the user of a stream. */
    final List<String> violations = new ArrayList<>();

    int items;
    int ends;

    FuzzStreams(EngineRig rig, SplittableRandom random) {
        this.random = random;
        rig.serve(METHOD, this::accept, null);
    }

    private void accept(RpcRequest request) {
        User user = new User();
        user.stream = request.acceptStream(random.nextInt(MAX_CREDITS + 1), user);
        users.add(user);
    }

    /** Opens a stream, unless many are open. */
    void open(ClientSession session) {
        if (users.size() < MAX_OPEN && session.isOpen()) {
            Duration time = Duration.ofMillis(1 + random.nextInt(500));
            User user = new User();
            user.stream = session.openStream(METHOD, random.nextInt(MAX_CREDITS + 1), time.toNanos(), user);
            users.add(user);
        }
    }

    /** Returns a call that opens a stream of a client. */
    static Packet opening(ServerSession to, long index, int stream) {
        byte[] body = new byte[StreamOpening.CALL_BYTES];
        new StreamOpening(stream, MAX_CREDITS, 60_000_000).writeCall(MemorySegment.ofArray(body));
        return Packet.request(to, index, METHOD, body);
    }

    /** Returns a server's response to an opening that a client has sent. */
    static Packet accepting(ClientSession to, Packet opening) {
        byte[] body = new byte[StreamOpening.RESPONSE_BYTES];
        int stream = StreamOpening.read(MemorySegment.ofArray(opening.body())).stream();
        new StreamOpening(stream, MAX_CREDITS, 0).writeResponse(MemorySegment.ofArray(body));
        return Packet.response(to, opening.index(), body);
    }

    /** Returns the number of a stream, usually one that the session has. */
    int someStream(EngineSession session) {
        EngineStream stream = (EngineStream) session.streams.at(random.nextInt(4));
        return stream == null || random.nextInt(10) == 0 ? random.nextInt(8) : stream.id();
    }

    /** Lets each user perform a random action. */
    void act() {
        users.removeIf(user -> ((EngineStream) user.stream).isOver());
        for (User user : List.copyOf(users)) {
            user.act();
        }
        while (kept.size() > random.nextInt(MAX_KEPT)) {
            kept.remove().close();
        }
    }

    /** Closes all messages that users hold. */
    void release() {
        kept.forEach(InboundMessage::close);
        kept.clear();
    }

    /** Sends one packet of each kind: credit, a small message, a large one, the end. */
    void sendAll() {
        User user = users.getLast();
        user.stream.request(1);
        user.offer(40);
        user.offer(LARGE);
        user.stream.complete();
    }

    /** One end of a stream. */
    private final class User implements StreamReceiver {

        private final boolean greedy = random.nextBoolean();
        private final boolean keeps = random.nextInt(4) == 0;
        private RpcStream stream;
        private boolean ended;
        private boolean failed;

        private void act() {
            switch (random.nextInt(40)) {
                case 0 -> stream.cancel();
                case 1 -> stream.fail(RpcStatus.HANDLER_FAILED, "test", "on purpose");
                case 2 -> stream.complete();
                case 3, 4, 5, 6 -> stream.request(1 + random.nextInt(3));
                case 7, 8 -> offer(LARGE);
                case 9, 10, 11, 12, 13 -> offer(1 + random.nextInt(200));
                default -> {}
            }
        }

        private void offer(int bytes) {
            try {
                var message = EngineRig.filled(stream.allocate(bytes), EngineRig.bytes(bytes));
                boolean taken = false;
                try {
                    taken = stream.offer(message);
                } finally {
                    if (!taken) {
                        message.close();
                    }
                }
            } catch (IllegalStateException | RdmaRpcException e) {
                // It was completed, has failed, or its session has ended: nothing is sent.
            }
        }

        @Override
        public void onItem(InboundMessage message) {
            items++;
            if (ended || failed) {
                violations.add("a message after the end");
            }
            if (keeps) {
                kept.add(message);
            } else {
                message.close();
            }
            if (greedy) {
                stream.request(1);
            }
        }

        @Override
        public void onEnd() {
            ends++;
            if (ended || failed) {
                violations.add("a second end");
            }
            ended = true;
        }

        @Override
        public void onFailure(RdmaRpcException reason) {
            if (failed) {
                violations.add("a second failure: " + reason);
            }
            failed = true;
        }

        /** The user retries in any case. */
        @Override
        public void onWritable() {}
    }
}
