package io.rdmarpc.benchmarks.profile;

import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.peer.Peers;

/** What can be profiled: hot paths of ours. */
enum Profiled {
    /** 32 bytes by the engine. */
    ECHO(Peers.ENGINE_BUFFERS, Payload.B32),
    /** A typed order through Spring, methods on the polling thread. */
    ORDER(Peers.SPRING_INLINE, Payload.ORDER),
    /** 1 MiB by the engine. */
    LARGE(Peers.ENGINE_BUFFERS, Payload.MIB1),
    /** 32 bytes by the engine over UDP. */
    UDP(Peers.ENGINE_UDP, Payload.B32);

    private final Peers peer;
    private final Payload payload;

    Profiled(Peers peer, Payload payload) {
        this.peer = peer;
        this.payload = payload;
    }

    Peers peer() {
        return peer;
    }

    Payload payload() {
        return payload;
    }
}
