package io.rdmarpc.service.codec.kryo.value;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.util.DefaultClassResolver;
import io.rdmarpc.service.codec.type.StandardTypes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Resolves classes by number only, and finds the carrier of collections that have no number. */
@SuppressWarnings("rawtypes")
public final class ServiceClassResolver extends DefaultClassResolver {

    /** Lower numbers are looked up in an array. Numbers computed from names are far above. */
    private static final int LOW_NUMBERS = 1024;

    /** Number of the first class in messages. Lower numbers mean null or a class name. */
    public static final int FIRST_NUMBER = 2;

    private boolean carriers;
    private @Nullable Registration[] low = new Registration[0];

    /** Ends registration. */
    void complete() {
        carriers = true;
        List<Registration> all = registrations();
        low = new Registration[LOW_NUMBERS];
        for (Registration registration : all) {
            if (registration.getId() < LOW_NUMBERS) {
                low[registration.getId()] = registration;
            }
        }
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
        Class<?> carrier = EnumSet.class.isAssignableFrom(type) ? EnumSet.class : StandardTypes.carrierOf(type);
        Registration registration = carrier == null ? null : super.getRegistration(carrier);
        if (registration != null) {
            // Cached for the next lookup.
            classToRegistration.put(type, registration);
        }
        return registration;
    }

    /** Reads a class as Kryo does, but with the lookup by number of this class. */
    @Override
    public @Nullable Registration readClass(Input input) {
        return byNumber(input.readVarInt(true));
    }

    /** Returns the class of a number in a message, or null for the number of null. */
    @Nullable
    Registration byNumber(int number) {
        if (number == Kryo.NULL) {
            return null;
        }
        int id = number - FIRST_NUMBER;
        if (id == NAME) {
            throw new KryoException("the message names a class; only registered classes are accepted");
        }
        Registration known = id >= 0 && id < low.length ? low[id] : getRegistration(id);
        if (known == null) {
            throw new KryoException("Encountered unregistered class ID: " + id);
        }
        return known;
    }
}
