package io.rdmarpc.docs;

import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.time.Duration;

/** A program with a loop of its own, which also runs the engine. No other thread runs it. */
final class OwnLoop {

    private int responses;

    static RdmaRuntime open(NicConfig nic) {
        return RdmaRuntime.open(nic, RpcConfig.DEFAULTS, PollingConfig.USER_DRIVEN);
    }

    /** One cycle of the program's loop. Calls end in {@link #onResponse}, on this thread. */
    void cycle(RdmaRuntime runtime) {
        if (runtime.doWork() == 0) {
            Thread.onSpinWait();
        }
    }

    void onResponse(RpcCall call) {
        responses += call.response().length() > 0 ? 1 : 0;
        call.release();
    }

    static void send(RpcCall call, int methodId) {
        call.request(64).length(64);
        call.start(methodId, Duration.ofSeconds(3).toNanos());
    }

    int responses() {
        return responses;
    }
}
