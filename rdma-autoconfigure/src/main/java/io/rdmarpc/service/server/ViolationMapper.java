package io.rdmarpc.service.server;

import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.RdmaExceptionMapper;
import io.rdmarpc.service.RdmaStatusException;
import io.rdmarpc.service.ServerCallContext;
import jakarta.validation.ConstraintViolationException;
import org.jspecify.annotations.Nullable;

/** What a bean with {@code @Validated} throws is the caller's fault as much as what was found before it. */
public final class ViolationMapper implements RdmaExceptionMapper {

    /** Creates the mapper. */
    public ViolationMapper() {}

    @Override
    public @Nullable RdmaStatusException map(Throwable thrown, ServerCallContext call) {
        return thrown instanceof ConstraintViolationException violations
                ? new RdmaStatusException(
                        RpcStatus.INVALID_ARGUMENT, ArgumentValidation.wordsOf(violations.getConstraintViolations()))
                : null;
    }
}
