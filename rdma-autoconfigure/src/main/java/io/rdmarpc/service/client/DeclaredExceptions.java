package io.rdmarpc.service.client;

import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.service.DetailedFailure;
import io.rdmarpc.service.RdmaDetailedRemoteException;
import io.rdmarpc.service.contract.ServiceMethod;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanInstantiationException;
import org.springframework.beans.BeanUtils;

/**
 * The exceptions that a contract's method declares. The server's exception is created again here from its message.
 * Only a type name and a message are transferred, so no class is loaded that the contract does not declare.
 */
final class DeclaredExceptions {

    private static final Class<?>[][] CONSTRUCTORS = {{String.class, Throwable.class}, {String.class}, {}};

    private static final Log LOG = LogFactory.getLog(DeclaredExceptions.class);

    private final Map<String, Constructor<?>> byName = new HashMap<>();

    DeclaredExceptions(ServiceMethod method) {
        for (Class<?> type : method.declaration().getExceptionTypes()) {
            if (RdmaRpcException.class.isAssignableFrom(type) || isPlain(type)) {
                continue;
            }
            Constructor<?> constructor = Modifier.isAbstract(type.getModifiers()) ? null : constructorOf(type);
            if (constructor != null) {
                byName.put(type.getName(), constructor);
            } else if (DetailedFailure.of(method).stream().noneMatch(failure -> failure.type() == type)) {
                LOG.warn(method + " declares " + type.getName()
                        + ", which has no constructor with a message: its callers get an"
                        + " RdmaRemoteException instead. Add a constructor that takes a String, or annotate"
                        + " it with @RdmaFailureFields so that its fields are sent");
            }
        }
    }

    /** Returns whether the type is declared only to permit any exception. */
    private static boolean isPlain(Class<?> type) {
        return type == Throwable.class || type == Error.class;
    }

    private static @Nullable Constructor<?> constructorOf(Class<?> type) {
        for (Class<?>[] parameters : CONSTRUCTORS) {
            Constructor<?> found = find(type, parameters);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static @Nullable Constructor<?> find(Class<?> type, Class<?>[] parameters) {
        try {
            return type.getDeclaredConstructor(parameters);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    /**
     * Returns the exception for the caller: the declared exception with the failure as its cause, otherwise the
     * failure.
     */
    Throwable of(RdmaRpcException original, RdmaRpcException failure) {
        if (original instanceof RdmaDetailedRemoteException detailed) {
            DetailedFailure declared = detailed.failure();
            return made(
                    declared.constructor(),
                    declared.argumentsOf(messageOf(original), failure, detailed.fields()),
                    failure);
        }
        Constructor<?> constructor =
                original instanceof RdmaRemoteException remote ? byName.get(remote.remoteType()) : null;
        if (constructor == null) {
            return failure;
        }
        Object[] all = {messageOf(original), failure};
        return made(constructor, Arrays.copyOf(all, constructor.getParameterCount()), failure);
    }

    private static String messageOf(RdmaRpcException failure) {
        return String.valueOf(failure.getMessage());
    }

    private static Throwable made(Constructor<?> constructor, @Nullable Object[] arguments, RdmaRpcException failure) {
        try {
            Throwable declared = (Throwable) BeanUtils.instantiateClass(constructor, arguments);
            return withCause(declared, failure);
        } catch (BeanInstantiationException e) {
            failure.addSuppressed(e);
            return failure;
        }
    }

    private static Throwable withCause(Throwable declared, RdmaRpcException cause) {
        try {
            return declared.getCause() == null ? declared.initCause(cause) : declared;
        } catch (IllegalStateException e) {
            // The constructor has already set the cause to null.
            declared.addSuppressed(cause);
            return declared;
        }
    }
}
