package io.rdmarpc.autoconfigure.diagnostics;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** The JVM does not let us call native code. */
final class NativeAccessFailureAnalyzer extends AbstractFailureAnalyzer<IllegalCallerException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, IllegalCallerException cause) {
        return isOurs(cause) ? NativeAccessAdvice.analysis(cause) : null;
    }

    /** Other libraries may be denied, too; they need their own words. */
    private static boolean isOurs(IllegalCallerException cause) {
        for (StackTraceElement frame : cause.getStackTrace()) {
            if (frame.getClassName().startsWith("io.rdmarpc.")) {
                return true;
            }
        }
        return false;
    }
}
