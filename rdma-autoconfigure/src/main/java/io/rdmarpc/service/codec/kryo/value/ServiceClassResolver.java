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

/** Knows classes by number only, and finds the carrier of collections that have no number of their own. */
@SuppressWarnings("rawtypes")
public final class ServiceClassResolver extends DefaultClassResolver {

    /** Numbers below are looked up in an array. Those made from names are far above. */
    private static final int LOW_NUMBERS = 1024;

    /** The first class's; those below say that there is none. */
    public static final int FIRST_NUMBER = 2;

    private boolean carriers;
    private @Nullable Registration[] low = new Registration[0];

    /** All classes are registered. */
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
            // Found at once the next time.
            classToRegistration.put(type, registration);
        }
        return registration;
    }

    /** As Kryo's own, but for where it looks. */
    @Override
    public @Nullable Registration readClass(Input input) {
        return byNumber(input.readVarInt(true));
    }

    /** The class of a number as it is in a message, null for that of null. */
    @Nullable
    Registration byNumber(int number) {
        if (number == Kryo.NULL) {
            return null;
        }
        int id = number - FIRST_NUMBER;
        if (id == NAME) {
            throw new KryoException("the message names a class; only registered classes may travel");
        }
        Registration known = id >= 0 && id < low.length ? low[id] : getRegistration(id);
        if (known == null) {
            throw new KryoException("Encountered unregistered class ID: " + id);
        }
        return known;
    }
}
