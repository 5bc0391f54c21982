package io.rdmarpc.autoconfigure.client;

import io.rdmarpc.service.web.RpcProblemAdvice;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of problem details in HTTP responses, for controllers whose calls failed. Disabled by default.
 */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(name = "org.springframework.web.servlet.DispatcherServlet")
@ConditionalOnProperty(name = "rdma.client.problem-details.enabled", havingValue = "true")
public final class RdmaProblemDetailsAutoConfiguration {

    /** Instantiated by Spring. */
    public RdmaProblemDetailsAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    RpcProblemAdvice rpcProblemAdvice(
            @Value("${rdma.client.problem-details.include-details:true}") boolean includeDetails,
            @Value("${rdma.client.problem-details.include-debug:false}") boolean includeDebug) {
        return new RpcProblemAdvice(includeDetails, includeDebug);
    }
}
