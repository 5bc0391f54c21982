package io.rdmarpc.autoconfigure.diagnostics;

import org.springframework.boot.diagnostics.FailureAnalysis;

/** The advice for denied native access. */
final class NativeAccessAdvice {

    private NativeAccessAdvice() {}

    static FailureAnalysis analysis(Throwable cause) {
        return new FailureAnalysis(
                "The JVM denies access to native code, which the verbs provider 'ibverbs' needs: " + cause.getMessage(),
                "Start java with --enable-native-access=ALL-UNNAMED, or put 'Enable-Native-Access: ALL-UNNAMED' into"
                        + " the manifest of the application's jar. To run without an RDMA device, set"
                        + " rdma.provider=soft.",
                cause);
    }
}
