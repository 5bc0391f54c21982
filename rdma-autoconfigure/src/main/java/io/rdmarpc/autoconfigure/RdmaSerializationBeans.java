package io.rdmarpc.autoconfigure;

import io.rdmarpc.autoconfigure.properties.RdmaProperties;
import io.rdmarpc.service.codec.RdmaSerializer;
import io.rdmarpc.service.codec.RegionReferences;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.codec.json.JsonRdmaSerializer;
import io.rdmarpc.service.codec.kryo.KryoCustomizer;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.util.Objects;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.json.JsonMapper;

/**
 * The message format: Kryo, JSON if {@code rdma.serialization.format} is {@code json}, or a bean of type
 * {@link RdmaSerializer}.
 */
@Configuration(proxyBeanMethods = false)
class RdmaSerializationBeans {

    @Bean
    @ConditionalOnMissingBean
    ServiceCodecFactory rdmaServiceCodecFactory(ObjectProvider<RdmaSerializer> serializers, RdmaProperties properties) {
        RdmaSerializer serializer = serializers.getIfAvailable();
        if (serializer == null) {
            throw new RdmaConfigurationException(
                    "serialization.format",
                    "json",
                    "Jackson 3 is not on the class path",
                    "Add spring-boot-starter-jackson, or set it to kryo on both sides");
        }
        return new ServiceCodecFactory(
                serializer, properties.serialization().settings().maxBytes());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(RdmaSerializer.class)
    @ConditionalOnProperty(name = "rdma.serialization.format", havingValue = "kryo", matchIfMissing = true)
    static class KryoFormat {

        @Bean
        KryoRdmaSerializer rdmaSerializer(ResourceLoader resourceLoader, RdmaProperties properties, BeanFactory beans) {
            ClassLoader application = resourceLoader.getClassLoader();
            return new KryoRdmaSerializer(
                    application != null ? application : Objects.requireNonNull(ClassUtils.getDefaultClassLoader()),
                    beans.getBeanProvider(KryoCustomizer.class).orderedStream().toList(),
                    properties.serialization().settings(),
                    beans.getBeanProvider(RegionReferences.class).getIfAvailable(() -> RegionReferences.NONE));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JsonMapper.class)
    @ConditionalOnMissingBean(RdmaSerializer.class)
    @ConditionalOnProperty(name = "rdma.serialization.format", havingValue = "json")
    static class JsonFormat {

        @Bean
        JsonRdmaSerializer rdmaSerializer(
                ObjectProvider<JsonMapper> mappers,
                RdmaProperties properties,
                ObjectProvider<RegionReferences> references) {
            return new JsonRdmaSerializer(
                    mappers.getIfAvailable(() -> JsonMapper.builder().build()),
                    properties.serialization().settings(),
                    references.getIfAvailable(() -> RegionReferences.NONE));
        }
    }
}
