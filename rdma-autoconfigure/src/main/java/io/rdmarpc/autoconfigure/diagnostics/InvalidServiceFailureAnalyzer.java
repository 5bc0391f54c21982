package io.rdmarpc.autoconfigure.diagnostics;

import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Reports a service interface, or a bean that implements one, that is invalid. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class InvalidServiceFailureAnalyzer extends AbstractFailureAnalyzer<RdmaInvalidServiceException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, RdmaInvalidServiceException cause) {
        return new FailureAnalysis("An RDMA service is invalid: " + cause.problem() + ".", cause.remedy() + ".", cause);
    }
}
