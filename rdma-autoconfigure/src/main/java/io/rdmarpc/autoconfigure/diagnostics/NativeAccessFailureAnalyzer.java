package io.rdmarpc.autoconfigure.diagnostics;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports that the JVM denies this library access to native code. */
final class NativeAccessFailureAnalyzer extends AbstractFailureAnalyzer<IllegalCallerException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, IllegalCallerException cause) {
        return isOurs(cause) ? NativeAccessAdvice.analysis(cause) : null;
    }

    /** Returns whether this library was denied access. For other libraries this advice would be wrong. */
    private static boolean isOurs(IllegalCallerException cause) {
        for (StackTraceElement frame : cause.getStackTrace()) {
            if (frame.getClassName().startsWith("io.rdmarpc.")) {
                return true;
            }
        }
        return false;
    }
}
