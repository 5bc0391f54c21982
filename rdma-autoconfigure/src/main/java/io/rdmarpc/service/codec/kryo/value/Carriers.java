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
 * Chooses the class that a container travels as. Where an interface such as {@code Map} is declared, it is the one that arrives for
 * all maps; where only a certain kind fits, such as {@code ConcurrentMap} or {@code EnumSet}, it is one of that kind.
 */
final class Carriers {

    private Carriers() {}

    /**
     * Returns the registration that a value is written by.
     *
     * @param kryo that writes
     * @param value not null
     * @param declared the type at the value's place, null where it is not known: there a value stays of its kind
     * @throws KryoException when no class fits
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
