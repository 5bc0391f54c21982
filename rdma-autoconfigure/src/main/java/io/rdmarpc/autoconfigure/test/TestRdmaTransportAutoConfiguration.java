package io.rdmarpc.autoconfigure.test;

import io.rdmarpc.autoconfigure.RdmaConfigCustomizer;
import io.rdmarpc.autoconfigure.RdmaConnectionDetails;
import io.rdmarpc.autoconfigure.client.RdmaClientAutoConfiguration;
import io.rdmarpc.service.server.RdmaServer;
import io.rdmarpc.transport.NicConfig;
import java.util.HashMap;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of {@link AutoConfigureTestRdmaTransport}. */
@AutoConfiguration(before = RdmaClientAutoConfiguration.class)
@ConditionalOnBooleanProperty("rdma.test.transport")
public final class TestRdmaTransportAutoConfiguration {

    private static final String LOOPBACK = "127.0.0.1";

    /** Instantiated by Spring. */
    TestRdmaTransportAutoConfiguration() {}

    @Bean
    RdmaConfigCustomizer<NicConfig> rdmaTestNic() {
        return config -> {
            Map<String, String> options = new HashMap<>(config.options());
            options.put("soft.addresses", LOOPBACK);
            options.put("soft.port", "0");
            return NicConfig.DEFAULTS.withProvider("soft", options);
        };
    }

    @Bean
    @ConditionalOnMissingBean
    RdmaConnectionDetails rdmaTestConnectionDetails() {
        return target -> OwnServer.ADDRESS;
    }

    @Bean
    OwnServer rdmaTestOwnServer(ObjectProvider<RdmaServer> server) {
        return new OwnServer(server);
    }
}
