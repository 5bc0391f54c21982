package io.rdmarpc.service.client;

import io.rdmarpc.annotation.RdmaKey;
import io.rdmarpc.service.CallMetadata;
import io.rdmarpc.service.client.routing.RdmaTarget;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import org.jspecify.annotations.Nullable;

/** Which argument of a method decides about the instance. */
final class CallKeys {

    private static final int NONE = -1;

    private CallKeys() {}

    /** The index of the parameter with {@link RdmaKey}, -1 when there is none. */
    static int indexOf(Method method) {
        int found = NONE;
        Parameter[] parameters = method.getParameters();
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i].isAnnotationPresent(RdmaKey.class)) {
                if (found != NONE) {
                    throw new RdmaInvalidServiceException(
                            method + " has two parameters with @RdmaKey, but a call goes to one instance",
                            "Leave one of them, or make one argument of both");
                }
                found = i;
            }
        }
        return found;
    }

    /** The key of a call: its argument's, else that of its metadata; null when it has none. */
    static @Nullable Object of(ClientCall call, int index) {
        if (index != NONE) {
            return call.arguments()[index];
        }
        CallMetadata metadata = call.sentMetadata();
        return metadata == null ? null : metadata.get(RdmaTarget.KEY);
    }
}
