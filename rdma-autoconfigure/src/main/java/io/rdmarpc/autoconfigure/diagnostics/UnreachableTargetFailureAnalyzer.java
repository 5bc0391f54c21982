package io.rdmarpc.autoconfigure.diagnostics;

import io.rdmarpc.rpc.error.RdmaRpcException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports a target that the application could not connect to at start-up. */
final class UnreachableTargetFailureAnalyzer extends AbstractFailureAnalyzer<RdmaRpcException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, RdmaRpcException cause) {
        return new FailureAnalysis(
                "The application calls another one over RDMA when it starts, and that failed: " + cause.getMessage(),
                "Start the other application first, correct rdma.client.targets, or set rdma.client.eager-connect=false"
                        + " to connect at the first call.",
                cause);
    }
}
