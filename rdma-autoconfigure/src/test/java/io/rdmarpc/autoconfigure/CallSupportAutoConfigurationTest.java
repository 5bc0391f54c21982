package io.rdmarpc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.rdmarpc.autoconfigure.server.RdmaProblemMappingAutoConfiguration;
import io.rdmarpc.autoconfigure.server.RdmaSpringSecurityAutoConfiguration;
import io.rdmarpc.autoconfigure.server.RdmaValidationAutoConfiguration;
import io.rdmarpc.service.server.ArgumentValidation;
import io.rdmarpc.service.server.ViolationMapper;
import io.rdmarpc.service.server.security.PeerAuthenticator;
import io.rdmarpc.service.server.security.SecurityContextInterceptor;
import io.rdmarpc.service.server.security.SecurityExceptionMapper;
import io.rdmarpc.service.web.ProblemExceptionMapper;
import jakarta.validation.Validator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.security.core.context.SecurityContextHolder;

@DisplayName("Validation and Spring Security of calls")
class CallSupportAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RdmaValidationAutoConfiguration.class, RdmaSpringSecurityAutoConfiguration.class));

    @Test
    void whenThereIsAValidatorThenArgumentsAreValidated() {
        runner.withBean(Validator.class, () -> mock(Validator.class))
                .run(context -> assertThat(context)
                        .hasSingleBean(ArgumentValidation.class)
                        .hasSingleBean(ViolationMapper.class));
    }

    @Test
    void whenSpringWebIsOnTheClassPathThenProblemDetailsAreMapped() {
        ApplicationContextRunner problems = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RdmaProblemMappingAutoConfiguration.class));

        problems.run(context -> assertThat(context).hasSingleBean(ProblemExceptionMapper.class));
        problems.withClassLoader(new FilteredClassLoader("org.springframework.web"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("rdmaProblemExceptionMapper"));
        problems.withPropertyValues("rdma.server.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(ProblemExceptionMapper.class));
    }

    @Test
    void whenThereIsNoValidatorThenArgumentsAreNotValidated() {
        runner.run(context -> assertThat(context).doesNotHaveBean(ArgumentValidation.class));
    }

    @Test
    void whenBeanValidationIsNotOnTheClassPathThenTheStartSucceeds() {
        runner.withClassLoader(new FilteredClassLoader("jakarta.validation"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("rdmaArgumentValidation")
                        .hasSingleBean(SecurityContextInterceptor.class));
    }

    @Test
    void whenSpringSecurityIsPresentThenTheCallerIsInItsContext() {
        runner.run(context -> assertThat(context)
                .hasSingleBean(SecurityContextInterceptor.class)
                .hasSingleBean(SecurityExceptionMapper.class)
                .hasSingleBean(PeerAuthenticator.class));
    }

    @Test
    void whenSpringSecurityIsAbsentThenTheStartSucceeds() {
        runner.withClassLoader(new FilteredClassLoader(SecurityContextHolder.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("rdmaSecurityContextInterceptor"));
    }

    @Test
    void whenTheApplicationHasAnAuthenticatorThenItIsUsed() {
        PeerAuthenticator own = (peer, metadata) -> null;
        runner.withBean(PeerAuthenticator.class, () -> own)
                .run(context ->
                        assertThat(context).getBean(PeerAuthenticator.class).isSameAs(own));
    }

    @Test
    void whenThereIsNoServerThenThereIsNoCallSupport() {
        runner.withPropertyValues("rdma.server.enabled=false")
                .withBean(Validator.class, () -> mock(Validator.class))
                .run(context -> assertThat(context)
                        .doesNotHaveBean(ArgumentValidation.class)
                        .doesNotHaveBean(SecurityContextInterceptor.class));
    }
}
