package io.rdmarpc.autoconfigure;

import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A {@link Duration} that is not negative; null is valid. */
@Target({ElementType.FIELD, ElementType.PARAMETER, ElementType.METHOD, ElementType.RECORD_COMPONENT})
@Retention(RetentionPolicy.RUNTIME)
@Constraint(validatedBy = NotNegative.Validator.class)
@interface NotNegative {

    String message() default "must be 0 or longer: use a duration such as 20ms or 2s";

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};

    /** Compares with zero. */
    final class Validator implements ConstraintValidator<NotNegative, Duration> {

        @Override
        public boolean isValid(@Nullable Duration duration, ConstraintValidatorContext context) {
            return duration == null || !duration.isNegative();
        }
    }
}
