package io.rdmarpc.autoconfigure.client;

import io.rdmarpc.autoconfigure.properties.RdmaClientProperties;
import io.rdmarpc.service.web.RpcProblemAdvice;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

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
    RpcProblemAdvice rpcProblemAdvice(Environment environment) {
        // Binds this record only, because the bean of all properties does not exist if RDMA is disabled.
        RdmaClientProperties.ProblemDetails settings = Binder.get(environment)
                .bindOrCreate("rdma.client.problem-details", RdmaClientProperties.ProblemDetails.class);
        return new RpcProblemAdvice(settings.includeDetails(), settings.includeDebug());
    }
}
