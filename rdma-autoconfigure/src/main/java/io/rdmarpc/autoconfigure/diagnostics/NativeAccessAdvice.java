package io.rdmarpc.autoconfigure.diagnostics;

import org.springframework.boot.diagnostics.FailureAnalysis;

/** What to do when native access is denied. */
final class NativeAccessAdvice {

    private NativeAccessAdvice() {}

    static FailureAnalysis analysis(Throwable cause) {
        return new FailureAnalysis(
                "The JVM denies access to native code, which the verbs provider 'ibverbs' needs: " + cause.getMessage(),
                "Start java with --enable-native-access=ALL-UNNAMED, or put 'Enable-Native-Access: ALL-UNNAMED' into the"
                        + " manifest of the application's jar. Set rdma.provider=soft to do without an RDMA device.",
                cause);
    }
}
