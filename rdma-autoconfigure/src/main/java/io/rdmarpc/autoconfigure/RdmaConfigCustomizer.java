package io.rdmarpc.autoconfigure;

/**
 * Changes a part of the configuration that was created from the properties, before resources are opened with it.
 * Beans of this type are applied in their order. The type argument selects the part:
 * {@link io.rdmarpc.transport.NicConfig}, {@link io.rdmarpc.transport.UdConfig},
 * {@link io.rdmarpc.transport.RcConfig}, {@link io.rdmarpc.memory.MemoryConfig},
 * {@link io.rdmarpc.rpc.runtime.PollingConfig} or {@link io.rdmarpc.rpc.config.RpcConfig}.
 *
 * <pre>{@code
 * @Bean
 * RdmaConfigCustomizer<RpcConfig> patientRetransmission() {
 *     return config -> config.toBuilder()
 *             .retransmit(config.retransmit().withTimeouts(Duration.ofMillis(50), Duration.ofSeconds(1)))
 *             .build();
 * }
 * }</pre>
 *
 * @param <C> the type of the part
 */
@FunctionalInterface
public interface RdmaConfigCustomizer<C> {

    /**
     * Returns a changed configuration.
     *
     * @param config the configuration after all earlier customizers
     * @return the configuration to use
     */
    C customize(C config);
}
