package io.rdmarpc.benchmarks.goals;

import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.peer.Peers;
import java.util.ArrayList;
import java.util.List;

/** Every payload with 1, 16 and 128 calls outstanding for everyone: no goals, for the tables and plots. */
final class Matrix {

    private static final int[] OUTSTANDING = {1, 16, 128};

    private static final List<Peers> ASYNCHRONOUS = List.of(
            Peers.ENGINE_BUFFERS,
            Peers.ENGINE_ARRAYS,
            Peers.SPRING_INLINE,
            Peers.AERON_IPC,
            Peers.AERON_UDP,
            Peers.KRYO_TCP,
            Peers.RSOCKET,
            Peers.GRPC_ASYNC,
            Peers.GRPC_UNIX);

    private static final List<Peers> BLOCKING =
            List.of(Peers.SPRING_VIRTUAL, Peers.GRPC_BLOCKING, Peers.HTTP, Peers.HTTP_TUNED);

    private Matrix() {}

    private static void addPingPong(List<Need> needs, Payload payload) {
        if (Peers.VERBS.carries(payload)) {
            needs.add(new Need.Calls(Peers.VERBS, Task.of(payload, Callers.PLATFORM, 1)));
        }
    }

    static List<Need> needs() {
        List<Need> needs = new ArrayList<>();
        for (Payload payload : Payload.values()) {
            addPingPong(needs, payload);
            for (int outstanding : OUTSTANDING) {
                ASYNCHRONOUS.stream()
                        .filter(peer -> peer.carries(payload))
                        .forEach(peer -> needs.add(new Need.Calls(peer, Task.of(payload, Callers.ASYNC, outstanding))));
                Callers callers = outstanding == 1 ? Callers.PLATFORM : Callers.VIRTUAL;
                BLOCKING.forEach(peer -> needs.add(new Need.Calls(peer, Task.of(payload, callers, outstanding))));
            }
        }
        return needs;
    }
}
