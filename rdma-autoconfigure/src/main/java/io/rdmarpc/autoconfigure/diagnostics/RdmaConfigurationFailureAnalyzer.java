package io.rdmarpc.autoconfigure.diagnostics;

import io.rdmarpc.verbs.error.RdmaConfigurationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Reports an invalid property with its name, its value, the problem, and the remedy. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class RdmaConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<RdmaConfigurationException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, RdmaConfigurationException cause) {
        return new FailureAnalysis(
                "The property 'rdma." + cause.setting() + "' is '" + cause.value() + "': " + cause.problem() + ".",
                cause.remedy() + ".",
                cause);
    }
}
