package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.util.DefaultClassResolver;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Knows classes by number only, and finds the carrier of collections that have no number of their own. */
@SuppressWarnings("rawtypes")
final class ServiceClassResolver extends DefaultClassResolver {

    private boolean carriers;

    void useCarriers() {
        carriers = true;
    }

    List<Registration> registrations() {
        List<Registration> all = new ArrayList<>();
        idToRegistration.values().forEach(all::add);
        all.sort(Comparator.comparingInt(Registration::getId));
        return all;
    }

    @Override
    public @Nullable Registration getRegistration(Class type) {
        Registration exact = super.getRegistration(type);
        return exact == null && carriers ? carrierRegistration(type) : exact;
    }

    private @Nullable Registration carrierRegistration(Class<?> type) {
        Class<?> carrier = StandardTypes.carrierOf(type);
        Registration registration = carrier == null ? null : super.getRegistration(carrier);
        if (registration != null) {
            // Found at once the next time.
            classToRegistration.put(type, registration);
        }
        return registration;
    }

    @Override
    protected Registration readName(Input input) {
        throw new KryoException("the message names a class; only registered classes may travel");
    }
}
