package io.rdmarpc.autoconfigure.memory;

import io.rdmarpc.autoconfigure.RdmaAutoConfiguration;
import io.rdmarpc.autoconfigure.RdmaConfigBeans;
import io.rdmarpc.autoconfigure.RdmaConfigCustomizer;
import io.rdmarpc.autoconfigure.RdmaConnectionDetails;
import io.rdmarpc.autoconfigure.client.TargetChannels;
import io.rdmarpc.autoconfigure.client.TargetResolvers;
import io.rdmarpc.autoconfigure.client.TargetSettings;
import io.rdmarpc.autoconfigure.properties.RdmaProperties;
import io.rdmarpc.autoconfigure.properties.RdmaRemoteMemoryProperties;
import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.remote.RemoteMemoryConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.client.routing.RdmaTargetResolver;
import io.rdmarpc.service.codec.RegionReferences;
import io.rdmarpc.service.memory.MemoryReferences;
import io.rdmarpc.service.memory.MemoryTargets;
import io.rdmarpc.service.memory.ReactiveRemoteMemoryTemplate;
import io.rdmarpc.service.memory.RemoteMemoryTemplate;
import io.rdmarpc.service.memory.RemoteWriteListenerProcessor;
import io.rdmarpc.service.memory.WriteListeners;
import io.rdmarpc.transport.NicConfig;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** Auto-configuration of remote memory: a second device context alongside the engine's, templates, and listeners. */
@AutoConfiguration(after = RdmaAutoConfiguration.class)
@ConditionalOnBean(RdmaRuntime.class)
@ConditionalOnBooleanProperty("rdma.remote-memory.enabled")
@EnableConfigurationProperties(RdmaRemoteMemoryProperties.class)
public final class RdmaRemoteMemoryAutoConfiguration {

    /** Instantiated by Spring. */
    RdmaRemoteMemoryAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    RemoteMemoryConfig rdmaRemoteMemoryConfig(
            NicConfig nic,
            RdmaRemoteMemoryProperties properties,
            ObjectProvider<RdmaConfigCustomizer<RemoteMemoryConfig>> customizers) {
        return RdmaConfigBeans.customized(RemoteMemoryConfigs.of(nic, properties), customizers);
    }

    @Bean
    @ConditionalOnMissingBean
    RemoteMemory rdmaRemoteMemory(RdmaRuntime runtime, RemoteMemoryConfig config) {
        return RemoteMemory.open(runtime, config);
    }

    @Bean
    RemoteMemoryLifecycle rdmaRemoteMemoryLifecycle(RemoteMemory memory) {
        return new RemoteMemoryLifecycle(memory);
    }

    @Bean
    @ConditionalOnMissingBean
    MemoryTargets rdmaMemoryTargets(
            RemoteMemory memory,
            RdmaRuntime runtime,
            ObjectProvider<RdmaTargetResolver> resolvers,
            RdmaProperties properties,
            ObjectProvider<RdmaConnectionDetails> details) {
        TargetSettings settings = new TargetSettings(properties.client(), details.getIfAvailable(() -> target -> null));
        TargetResolvers known = new TargetResolvers(resolvers.orderedStream().toList());
        return new TargetMemory(memory, settings, new TargetChannels(runtime, known, properties, settings));
    }

    @Bean
    @ConditionalOnMissingBean
    WriteListeners rdmaWriteListeners(RemoteMemory memory) {
        WriteListeners listeners = new WriteListeners();
        memory.onWrite(listeners);
        return listeners;
    }

    @Bean
    @ConditionalOnMissingBean
    RemoteMemoryTemplate remoteMemoryTemplate(RemoteMemory memory, MemoryTargets targets, WriteListeners listeners) {
        return new RemoteMemoryTemplate(memory, targets, listeners);
    }

    @Bean
    @ConditionalOnMissingBean
    static RemoteWriteListenerProcessor remoteWriteListenerProcessor(
            BeanFactory beans, ObjectProvider<WriteListeners> listeners) {
        return new RemoteWriteListenerProcessor(beans, listeners);
    }

    @Bean
    @ConditionalOnMissingBean
    RegionReferences rdmaRegionReferences(ObjectProvider<RemoteMemory> memory) {
        return new MemoryReferences(memory::getObject);
    }

    /** The reactive template, if Reactor is on the class path. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Mono.class)
    static class Reactive {

        @Bean
        @ConditionalOnMissingBean
        ReactiveRemoteMemoryTemplate reactiveRemoteMemoryTemplate(RemoteMemoryTemplate template) {
            return new ReactiveRemoteMemoryTemplate(template);
        }
    }
}
