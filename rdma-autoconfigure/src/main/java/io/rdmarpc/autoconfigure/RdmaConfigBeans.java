package io.rdmarpc.autoconfigure;

import io.rdmarpc.autoconfigure.engine.EngineConfigs;
import io.rdmarpc.autoconfigure.properties.RdmaProperties;
import io.rdmarpc.autoconfigure.properties.SettingsValidator;
import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.UdConfig;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Configuration of the NIC, the transports, registered memory, the polling threads, and the engine with its control
 * channel. An application changes each part with an {@link RdmaConfigCustomizer} or replaces it with a bean of its
 * type.
 */
@Configuration(proxyBeanMethods = false)
public class RdmaConfigBeans {

    /** Instantiated by Spring. */
    RdmaConfigBeans() {}

    /**
     * Applies customizers.
     *
     * @param config the configuration as the properties define it
     * @param customizers the customizers, applied in their order
     * @param <C> type of the configuration
     * @return the result of the last customizer, or {@code config} without one
     */
    public static <C> C customized(C config, ObjectProvider<RdmaConfigCustomizer<C>> customizers) {
        C changed = config;
        for (RdmaConfigCustomizer<C> customizer : customizers.orderedStream().toList()) {
            changed = customizer.customize(changed);
        }
        return changed;
    }

    @Bean
    static SettingsValidator.Advisor rdmaSettingsValidator() {
        return new SettingsValidator.Advisor();
    }

    @Bean
    @ConditionalOnMissingBean
    NicConfig rdmaNicConfig(RdmaProperties properties, ObjectProvider<RdmaConfigCustomizer<NicConfig>> customizers) {
        return customized(EngineConfigs.nic(properties), customizers);
    }

    @Bean
    @ConditionalOnMissingBean
    UdConfig rdmaUdConfig(RdmaProperties properties, ObjectProvider<RdmaConfigCustomizer<UdConfig>> customizers) {
        return customized(EngineConfigs.ud(properties.ud()), customizers);
    }

    @Bean
    @ConditionalOnMissingBean
    RcConfig rdmaRcConfig(RdmaProperties properties, ObjectProvider<RdmaConfigCustomizer<RcConfig>> customizers) {
        return customized(EngineConfigs.rc(properties.rc()), customizers);
    }

    @Bean
    @ConditionalOnMissingBean
    MemoryConfig rdmaMemoryConfig(
            RdmaProperties properties, ObjectProvider<RdmaConfigCustomizer<MemoryConfig>> customizers) {
        return customized(EngineConfigs.memory(properties.memory()), customizers);
    }

    @Bean
    @ConditionalOnMissingBean
    PollingConfig rdmaPollingConfig(
            RdmaProperties properties, ObjectProvider<RdmaConfigCustomizer<PollingConfig>> customizers) {
        return customized(EngineConfigs.polling(properties.polling()), customizers);
    }

    @Bean
    @ConditionalOnMissingBean
    RpcConfig rdmaRpcConfig(
            RdmaProperties properties,
            ObjectProvider<SslBundles> bundles,
            ObjectProvider<RdmaConfigCustomizer<RpcConfig>> customizers) {
        return customized(EngineConfigs.rpc(properties, bundles.getIfAvailable()), customizers);
    }
}
