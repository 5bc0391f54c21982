package io.rdmarpc.autoconfigure.actuator;

import io.rdmarpc.autoconfigure.RdmaAutoConfiguration;
import io.rdmarpc.transport.NicContext;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of {@code /actuator/info}: which device is in use. */
@AutoConfiguration(after = RdmaAutoConfiguration.class)
@ConditionalOnClass({InfoContributor.class, ConditionalOnEnabledInfoContributor.class})
@ConditionalOnEnabledInfoContributor("rdma")
@ConditionalOnBean(NicContext.class)
public final class RdmaInfoContributorAutoConfiguration {

    /** Instantiated by Spring. */
    RdmaInfoContributorAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    RdmaInfoContributor rdmaInfoContributor(NicContext nic) {
        return new RdmaInfoContributor(nic);
    }
}
