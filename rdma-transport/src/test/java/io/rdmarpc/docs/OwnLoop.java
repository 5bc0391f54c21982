package io.rdmarpc.docs;

import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.time.Duration;

/** A program with a loop of its own, in which the engine has its place; no other thread turns it. */
final class OwnLoop {

    private int answers;

    static RdmaRuntime open(NicConfig nic) {
        return RdmaRuntime.open(nic, RpcConfig.DEFAULTS, PollingConfig.USER_DRIVEN);
    }

    /** What the loop does in a turn; answers end in {@link #onAnswer}, on this thread. */
    void turn(RdmaRuntime runtime) {
        if (runtime.doWork() == 0) {
            Thread.onSpinWait();
        }
    }

    void onAnswer(RpcCall call) {
        answers += call.response().length() > 0 ? 1 : 0;
        call.release();
    }

    static void send(RpcCall call, int methodId) {
        call.request(64).length(64);
        call.start(methodId, Duration.ofSeconds(3).toNanos());
    }

    int answers() {
        return answers;
    }
}
