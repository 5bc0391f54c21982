package io.rdmarpc.autoconfigure.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.service.web.RpcProblemAdvice;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

class RdmaProblemDetailsTest {

    private static final String ENABLED = "rdma.client.problem-details.enabled=true";
    private static final AutoConfigurations CONFIGURATION =
            AutoConfigurations.of(RdmaProblemDetailsAutoConfiguration.class);

    private final WebApplicationContextRunner web = new WebApplicationContextRunner().withConfiguration(CONFIGURATION);

    @Test
    void whenThePropertyIsSetThenThereIsAnAdvice() {
        web.withPropertyValues(ENABLED).run(context -> assertThat(context).hasSingleBean(RpcProblemAdvice.class));
        web.run(context -> assertThat(context).doesNotHaveBean(RpcProblemAdvice.class));
    }

    @Test
    void whenThereIsNoServletApplicationThenThereIsNoAdvice() {
        new ApplicationContextRunner()
                .withConfiguration(CONFIGURATION)
                .withPropertyValues(ENABLED)
                .run(context -> assertThat(context).doesNotHaveBean(RpcProblemAdvice.class));
        web.withPropertyValues(ENABLED)
                .withClassLoader(new FilteredClassLoader("org.springframework.web.servlet"))
                .run(context -> assertThat(context).doesNotHaveBean(RpcProblemAdvice.class));
    }
}
