package io.rdmarpc.autoconfigure.actuator;

import io.rdmarpc.autoconfigure.client.RdmaClientAutoConfiguration;
import io.rdmarpc.autoconfigure.client.RdmaClients;
import io.rdmarpc.autoconfigure.server.RdmaServerAutoConfiguration;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.server.RdmaServer;
import io.rdmarpc.service.server.security.ServiceAccess;
import io.rdmarpc.transport.NicContext;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of {@code /actuator/rdma} and {@code /actuator/rdmatargets}. */
@AutoConfiguration(after = {RdmaClientAutoConfiguration.class, RdmaServerAutoConfiguration.class})
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(RdmaRuntime.class)
public final class RdmaEndpointAutoConfiguration {

    /** Instantiated by Spring. */
    RdmaEndpointAutoConfiguration() {}

    /**
     * The function also hides the token from users who may see the other values of {@code env} and
     * {@code configprops}.
     */
    @Bean
    SanitizingFunction rdmaTokenSanitizingFunction() {
        return new TokenSanitizer();
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    RdmaEndpoint rdmaEndpoint(
            RdmaRuntime runtime,
            NicContext nic,
            ObjectProvider<RdmaServer> server,
            ObjectProvider<ServiceAccess> access,
            ObjectProvider<RdmaClients> clients) {
        return new RdmaEndpoint(runtime, nic, server, access, clients);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(RdmaClients.class)
    @ConditionalOnAvailableEndpoint
    RdmaTargetsEndpoint rdmaTargetsEndpoint(RdmaClients clients) {
        return new RdmaTargetsEndpoint(clients);
    }
}
