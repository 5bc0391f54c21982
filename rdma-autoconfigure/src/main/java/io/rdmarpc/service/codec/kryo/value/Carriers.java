package io.rdmarpc.service.codec.kryo.value;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Registration;
import io.rdmarpc.service.codec.type.ContractTypes;
import io.rdmarpc.service.codec.type.SortOrder;
import io.rdmarpc.service.codec.type.StandardTypes;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Selects the class that represents a container in a message. If an interface such as {@code Map} is declared, all
 * maps arrive as the same class. If the declared type permits only a certain kind, such as {@code ConcurrentMap} or
 * {@code EnumSet}, the class is of that kind.
 */
final class Carriers {

    private Carriers() {}

    /**
     * Returns the registration for writing a value.
     *
     * @param kryo the Kryo that writes the value
     * @param value the value, not null
     * @param declared declared type of the value, or null if unknown, in which case the value's own kind is used
     * @throws KryoException if no class fits
     */
    static Registration of(ServiceKryo kryo, Object value, @Nullable Class<?> declared) {
        Class<?> type = value.getClass();
        if (!(value instanceof Collection<?>) && !(value instanceof Map<?, ?>)) {
            return kryo.getRegistration(type);
        }
        SortOrder order = SortOrder.of(value);
        Registration found = kryo.getRegistration(declared == null ? type : chosen(kryo, type, order, declared));
        if (order == SortOrder.NATURAL || !StandardTypes.isSorted(found.getType())) {
            return found;
        }
        if (order == SortOrder.OWN) {
            throw new KryoException(SortOrder.rejection(type));
        }
        return kryo.getRegistration(StandardTypes.orderedOf(found.getType()));
    }

    private static Class<?> chosen(ServiceKryo kryo, Class<?> type, SortOrder order, Class<?> declared) {
        boolean known = kryo.knows(type);
        if (known && (type == declared || !ContractTypes.isOfPlatform(type))) {
            return type;
        }
        Class<?> usual = order == SortOrder.OWN ? StandardTypes.unsortedCarrierOf(type) : StandardTypes.carrierOf(type);
        if (usual != null && declared.isAssignableFrom(usual)) {
            return usual;
        }
        if (known) {
            return type;
        }
        Class<?> special = StandardTypes.carrierFor(declared, type);
        return special == null ? type : special;
    }
}
