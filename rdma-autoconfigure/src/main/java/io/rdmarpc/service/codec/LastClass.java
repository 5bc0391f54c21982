package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.Registration;
import org.jspecify.annotations.Nullable;

/**
 * Remembers how the last value at one place was written, for most places only ever see one class. Belongs to one Kryo, and
 * like that to one thread at a time.
 */
final class LastClass {

    private @Nullable Class<?> type;
    private @Nullable Registration registration;

    Registration of(ServiceKryo kryo, Object value) {
        Registration known = registration;
        if (known != null && value.getClass() == type) {
            return known;
        }
        Registration found = kryo.getRegistration(value.getClass());
        type = value.getClass();
        registration = found;
        return found;
    }
}
