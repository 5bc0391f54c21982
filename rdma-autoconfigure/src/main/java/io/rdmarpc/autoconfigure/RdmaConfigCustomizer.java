package io.rdmarpc.autoconfigure;

/**
 * Changes a part of the configuration that was made from the properties, before anything is opened with it. Beans of this type
 * are applied in their order; which part is said by the type argument: {@link io.rdmarpc.transport.NicConfig},
 * {@link io.rdmarpc.transport.UdConfig}, {@link io.rdmarpc.transport.RcConfig}, {@link io.rdmarpc.memory.MemoryConfig},
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
 * @param <C> the part
 */
@FunctionalInterface
public interface RdmaConfigCustomizer<C> {

    /**
     * Changes it.
     *
     * @param config as it is so far
     * @return as it shall be
     */
    C customize(C config);
}
