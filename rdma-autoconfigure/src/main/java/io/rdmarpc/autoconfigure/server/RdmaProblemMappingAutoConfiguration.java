package io.rdmarpc.autoconfigure.server;

import io.rdmarpc.service.web.ProblemExceptionMapper;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.web.ErrorResponse;

/** Auto-configuration of the mapping of problem details (RFC 9457) to statuses with details, with Spring Web only. */
@AutoConfiguration(before = RdmaServerAutoConfiguration.class)
@ConditionalOnClass(ErrorResponse.class)
@ConditionalOnBooleanProperty(
        name = {"rdma.enabled", "rdma.server.enabled"},
        matchIfMissing = true)
public final class RdmaProblemMappingAutoConfiguration {

    /** Instantiated by Spring. */
    RdmaProblemMappingAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    ProblemExceptionMapper rdmaProblemExceptionMapper() {
        return new ProblemExceptionMapper();
    }
}
