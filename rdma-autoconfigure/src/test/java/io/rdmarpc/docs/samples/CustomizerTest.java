package io.rdmarpc.docs.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.autoconfigure.RdmaConfigCustomizer;
import io.rdmarpc.rpc.config.RetransmitConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests the customizer of docs/reference/properties.md. The tests of the beans check that the context applies it. */
class CustomizerTest {

    @Configuration(proxyBeanMethods = false)
    static class Patience {

        @Bean
        RdmaConfigCustomizer<RpcConfig> patientRetransmission() {
            return config -> config.toBuilder()
                    .retransmit(config.retransmit().withTimeouts(Duration.ofMillis(50), Duration.ofSeconds(1)))
                    .build();
        }
    }

    @Test
    void shouldChangeTheRetransmissionTimeouts() {
        new ApplicationContextRunner().withUserConfiguration(Patience.class).run(context -> {
            @SuppressWarnings("unchecked")
            RdmaConfigCustomizer<RpcConfig> customizer = context.getBean(RdmaConfigCustomizer.class);

            assertThat(customizer.customize(RpcConfig.DEFAULTS).retransmit())
                    .isEqualTo(RetransmitConfig.DEFAULTS.withTimeouts(Duration.ofMillis(50), Duration.ofSeconds(1)));
        });
    }
}
