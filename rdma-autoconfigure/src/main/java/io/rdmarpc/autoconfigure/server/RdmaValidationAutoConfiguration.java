package io.rdmarpc.autoconfigure.server;

import io.rdmarpc.service.server.ArgumentValidation;
import io.rdmarpc.service.server.ViolationMapper;
import jakarta.validation.Validator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of Bean Validation: arguments are validated before a method runs, if there is a validator. */
@AutoConfiguration(
        before = RdmaServerAutoConfiguration.class,
        afterName = "org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration")
@ConditionalOnClass(Validator.class)
@ConditionalOnSingleCandidate(Validator.class)
@ConditionalOnBooleanProperty(
        name = {"rdma.enabled", "rdma.server.enabled"},
        matchIfMissing = true)
public final class RdmaValidationAutoConfiguration {

    /** Instantiated by Spring. */
    RdmaValidationAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    ArgumentValidation rdmaArgumentValidation(Validator validator) {
        return new ArgumentValidation(validator);
    }

    @Bean
    @ConditionalOnMissingBean
    ViolationMapper rdmaViolationMapper() {
        return new ViolationMapper();
    }
}
