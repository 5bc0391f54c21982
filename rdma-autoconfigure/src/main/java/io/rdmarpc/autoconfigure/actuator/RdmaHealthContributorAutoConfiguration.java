package io.rdmarpc.autoconfigure.actuator;

import io.rdmarpc.autoconfigure.client.RdmaClientAutoConfiguration;
import io.rdmarpc.autoconfigure.client.RdmaClients;
import io.rdmarpc.autoconfigure.properties.RdmaProperties;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicContext;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of health: whether device, port and polling threads work. */
@AutoConfiguration(after = RdmaClientAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnEnabledHealthIndicator("rdma")
@ConditionalOnBean(RdmaRuntime.class)
public final class RdmaHealthContributorAutoConfiguration {

    /** Instantiated by Spring. */
    RdmaHealthContributorAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(name = {"rdmaHealthIndicator", "rdmaHealthContributor"})
    RdmaHealthIndicator rdmaHealthContributor(
            RdmaRuntime runtime, NicContext nic, RdmaProperties properties, ObjectProvider<RdmaClients> clients) {
        return new RdmaHealthIndicator(runtime, nic, properties.polling().stallThreshold(), clients);
    }
}
