package io.rdmarpc.autoconfigure;

import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.server.RdmaServer;
import io.rdmarpc.transport.NicContext;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of {@code /actuator/rdma}. */
@AutoConfiguration(after = {RdmaClientAutoConfiguration.class, RdmaServerAutoConfiguration.class})
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnAvailableEndpoint(RdmaEndpoint.class)
@ConditionalOnBean(RdmaRuntime.class)
public final class RdmaEndpointAutoConfiguration {

    /** Made by Spring. */
    RdmaEndpointAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    RdmaEndpoint rdmaEndpoint(
            RdmaRuntime runtime,
            NicContext nic,
            ObjectProvider<RdmaServer> server,
            ObjectProvider<RdmaClients> clients) {
        return new RdmaEndpoint(runtime, nic, server, clients);
    }
}
