package io.rdmarpc.autoconfigure;

import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Bounds of a {@link DataSize}; null is valid. The message says what to do, for it is all that a user sees. */
@Target({ElementType.FIELD, ElementType.PARAMETER, ElementType.METHOD, ElementType.RECORD_COMPONENT})
@Retention(RetentionPolicy.RUNTIME)
@Constraint(validatedBy = ByteSize.Validator.class)
@interface ByteSize {

    long min();

    long max();

    boolean powerOfTwo() default false;

    String message();

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};

    /** Compares bytes. */
    final class Validator implements ConstraintValidator<ByteSize, DataSize> {

        private long min;
        private long max;
        private boolean powerOfTwo;

        @Override
        public void initialize(ByteSize constraint) {
            min = constraint.min();
            max = constraint.max();
            powerOfTwo = constraint.powerOfTwo();
        }

        @Override
        public boolean isValid(@Nullable DataSize size, ConstraintValidatorContext context) {
            if (size == null) {
                return true;
            }
            long bytes = size.toBytes();
            return bytes >= min && bytes <= max && (!powerOfTwo || Long.bitCount(bytes) == 1);
        }
    }
}
