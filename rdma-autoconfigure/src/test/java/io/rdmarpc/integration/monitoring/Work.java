package io.rdmarpc.integration.monitoring;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaMethod.Execution;
import io.rdmarpc.annotation.RdmaService;
import java.util.concurrent.CompletableFuture;

/** Calls that take as long as their callers want. */
@RdmaService(name = "test.Work")
interface Work {

    /** Occupies a virtual thread. */
    void run(long millis, byte[] data);

    /** Occupies a call, but no thread. */
    CompletableFuture<Void> later(long millis);

    /** Blocks the polling thread, which no method should do. */
    @RdmaMethod(execution = Execution.INLINE, timeout = "60s")
    void block(long millis);
}
