package io.rdmarpc.autoconfigure.diagnostics;

import io.rdmarpc.verbs.error.RdmaVerbsException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports a verb that failed during set-up of the NIC: no library, no device, no permission, or not enough lockable
 * memory.
 */
final class VerbsFailureAnalyzer extends AbstractFailureAnalyzer<RdmaVerbsException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, RdmaVerbsException cause) {
        String message = String.valueOf(cause.getMessage());
        if (message.contains("--enable-native-access")) {
            return NativeAccessAdvice.analysis(cause);
        }
        String device = cause.device().isEmpty() ? "" : " on device " + cause.device();
        return new FailureAnalysis(
                "The RDMA network interface could not be set up" + device + ": " + message,
                "Follow the advice above, choose another device with rdma.device.name, or set rdma.provider=soft to"
                        + " run without an RDMA device.",
                cause);
    }
}
