package io.rdmarpc.service.server;

import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallContext;
import io.rdmarpc.service.RdmaServerInterceptor;
import io.rdmarpc.service.ServerCallContext;
import io.rdmarpc.service.contract.ServiceMethod;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.Validator;
import jakarta.validation.metadata.MethodDescriptor;
import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;

/**
 * Validates arguments against the Bean Validation constraints of the service's interface before the method runs. A
 * violation is reported as {@link RpcStatus#INVALID_ARGUMENT} with paths and messages, also as field violations. Methods without constraints
 * skip this interceptor.
 */
public final class ArgumentValidation implements RdmaServerInterceptor, Ordered {

    /** Runs after interceptors with a lower order, such as those of authorization. */
    private static final int ORDER = 0;

    private final Validator validator;

    /**
     * Creates the interceptor.
     *
     * @param validator the validator of arguments
     */
    public ArgumentValidation(Validator validator) {
        this.validator = validator;
    }

    @Override
    public boolean appliesTo(ServiceMethod method) {
        Method declaration = method.declaration();
        MethodDescriptor constraints = validator
                .getConstraintsForClass(declaration.getDeclaringClass())
                .getConstraintsForMethod(declaration.getName(), declaration.getParameterTypes());
        return constraints != null
                && (constraints.hasConstrainedParameters()
                        || constraints.getParameterDescriptors().stream()
                                .anyMatch(parameter -> !parameter
                                        .getConstrainedContainerElementTypes()
                                        .isEmpty()));
    }

    @Override
    public @Nullable Object intercept(ServerCallContext call, CallContext.Next next) throws Throwable {
        Set<ConstraintViolation<Object>> violations = validator
                .forExecutables()
                .validateParameters(call.bean(), call.method().declaration(), call.arguments());
        if (!violations.isEmpty()) {
            throw Violations.failure(violations);
        }
        return next.proceed();
    }

    @Override
    public int getOrder() {
        return ORDER;
    }
}
