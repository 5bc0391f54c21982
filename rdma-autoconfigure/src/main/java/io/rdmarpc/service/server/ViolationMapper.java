package io.rdmarpc.service.server;

import io.rdmarpc.service.RdmaExceptionMapper;
import io.rdmarpc.service.RdmaStatusException;
import io.rdmarpc.service.ServerCallContext;
import jakarta.validation.ConstraintViolationException;
import org.jspecify.annotations.Nullable;

/** Maps constraint violations of beans with {@code @Validated} to the status that {@link ArgumentValidation} uses. */
public final class ViolationMapper implements RdmaExceptionMapper {

    /** Creates the mapper. */
    public ViolationMapper() {}

    @Override
    public @Nullable RdmaStatusException map(Throwable thrown, ServerCallContext call) {
        return thrown instanceof ConstraintViolationException violations
                ? Violations.failure(violations.getConstraintViolations())
                : null;
    }
}
