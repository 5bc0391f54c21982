package io.rdmarpc.service.client;

import io.rdmarpc.annotation.RdmaKey;
import io.rdmarpc.service.CallMetadata;
import io.rdmarpc.service.client.routing.RdmaTarget;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import org.jspecify.annotations.Nullable;

/** Finds the argument of a method that selects the instance. */
final class CallKeys {

    private static final int NONE = -1;

    private CallKeys() {}

    /** Returns the index of the parameter with {@link RdmaKey}, or -1 if there is none. */
    static int indexOf(Method method) {
        int found = NONE;
        Parameter[] parameters = method.getParameters();
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i].isAnnotationPresent(RdmaKey.class)) {
                if (found != NONE) {
                    throw new RdmaInvalidServiceException(
                            method + " has two parameters with @RdmaKey, but one key selects the instance of a call",
                            "Keep one of them, or combine both into one argument");
                }
                found = i;
            }
        }
        return found;
    }

    /** Returns the key of a call: that of its argument, otherwise that of its metadata, or null if it has none. */
    static @Nullable Object of(ClientCall call, int index) {
        if (index != NONE) {
            return call.arguments()[index];
        }
        CallMetadata metadata = call.sentMetadata();
        return metadata == null ? null : metadata.get(RdmaTarget.KEY);
    }
}
