package io.rdmarpc.autoconfigure.diagnostics;

import io.rdmarpc.autoconfigure.properties.RdmaRenamedPropertiesException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Reports all properties that are set by old names, with their new names. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class RenamedPropertiesFailureAnalyzer extends AbstractFailureAnalyzer<RdmaRenamedPropertiesException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, RdmaRenamedPropertiesException cause) {
        String lines = String.valueOf(cause.getMessage()).indent(4);
        return new FailureAnalysis("Properties were renamed:\n\n" + lines, "Set them by their new names.", cause);
    }
}
