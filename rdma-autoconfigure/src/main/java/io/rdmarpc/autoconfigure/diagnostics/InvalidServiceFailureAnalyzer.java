package io.rdmarpc.autoconfigure.diagnostics;

import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** A service interface, or a bean that implements one, cannot work as written. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class InvalidServiceFailureAnalyzer extends AbstractFailureAnalyzer<RdmaInvalidServiceException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, RdmaInvalidServiceException cause) {
        return new FailureAnalysis(
                "An RDMA service cannot work: " + cause.problem() + ".", cause.remedy() + ".", cause);
    }
}
