package io.rdmarpc.autoconfigure.diagnostics;

import io.rdmarpc.verbs.error.RdmaVerbsException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** A verb failed while the NIC was set up: no library, no device, no rights, not enough memory to lock. */
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
                "Follow the advice above, choose another device with rdma.device.name, or set rdma.provider=soft to do without"
                        + " an RDMA device.",
                cause);
    }
}
