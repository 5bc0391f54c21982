package io.rdmarpc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.rdmarpc.autoconfigure.properties.BoundSettings;
import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.service.codec.RdmaSerializer;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.codec.json.JsonRdmaSerializer;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.contract.ServiceDescription;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import tools.jackson.databind.json.JsonMapper;

class RdmaSerializationBeansTest {

    @Configuration(proxyBeanMethods = false)
    @Import({BoundSettings.Configured.class, RdmaSerializationBeans.class})
    static class Only {}

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(Only.class));

    private static String format(ServiceCodecFactory codecs) {
        return codecs.codecOf(ServiceDescription.of(Orders.class))
                .contract()
                .types()
                .getFirst()
                .shape();
    }

    @Test
    void shouldUseKryoByDefault() {
        runner.run(context -> {
            assertThat(context).hasSingleBean(KryoRdmaSerializer.class);
            assertThat(format(context.getBean(ServiceCodecFactory.class))).isEqualTo("Kryo, form 4, references=false");
        });
    }

    @Test
    void whenTheFormatIsJsonThenJsonIsUsed() {
        runner.withPropertyValues("rdma.serialization.format=json", "rdma.serialization.evolution=compatible")
                .run(context -> {
                    assertThat(context).hasSingleBean(JsonRdmaSerializer.class);
                    assertThat(format(context.getBean(ServiceCodecFactory.class)))
                            .isEqualTo("JSON, evolving");
                });
    }

    @Test
    void whenJacksonIsAbsentThenTheFailureNamesTheStarter() {
        runner.withPropertyValues("rdma.serialization.format=json")
                .withClassLoader(new FilteredClassLoader(JsonMapper.class))
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(RdmaConfigurationException.class)
                        .hasMessageContaining("serialization.format")
                        .hasMessageContaining("spring-boot-starter-jackson"));
    }

    @Test
    void whenJacksonIsAbsentThenKryoWorks() {
        runner.withClassLoader(new FilteredClassLoader(JsonMapper.class))
                .run(context -> assertThat(context).hasSingleBean(KryoRdmaSerializer.class));
    }

    @Test
    void whenThereIsASerializerBeanThenItReplacesBothFormats() {
        RdmaSerializer own = mock(RdmaSerializer.class);
        runner.withBean(RdmaSerializer.class, () -> own)
                .withPropertyValues("rdma.serialization.format=json")
                .run(context ->
                        assertThat(context).getBean(RdmaSerializer.class).isSameAs(own));
    }

    @ParameterizedTest
    @CsvSource({
        "max-depth, 0, must be 1 to 2000",
        "max-depth, 5000, must be 1 to 2000",
        "max-elements, 0, must be 1 or more",
        "max-size, 10B, must be 1KB to 1GB",
        "max-expansion, 7, must be 8 to 10000",
        "max-collisions, 0, must be 1 to 1000000",
        "max-scale, 0, must be 1 or more",
        "max-integer-bits, 63, must be 64 or more",
        "format, xml, xml",
        "evolution, sometimes, sometimes"
    })
    void whenASettingIsInvalidThenItIsRejected(String name, String value, String words) {
        runner.withPropertyValues("rdma.serialization." + name + "=" + value)
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining(words));
    }
}
