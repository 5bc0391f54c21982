package io.rdmarpc.service.codec.kryo.value;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.rdmarpc.service.codec.limit.HeapEstimate;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;

/**
 * Serializes sets and maps of enum constants: the number of the enum, also for an empty container, and the elements.
 * Their heap size depends on the enum and not on the elements, so it is charged before they are created.
 */
@SuppressWarnings({"rawtypes", "unchecked"})
public final class EnumContainers {

    private EnumContainers() {}

    private static void writeEnum(ServiceKryo kryo, Output output, Class<?> type) {
        kryo.writeClass(output, type);
    }

    private static Registration readEnum(ServiceKryo kryo, Input input) {
        Registration found = kryo.readClass(input);
        if (found == null || !found.getType().isEnum()) {
            throw new KryoException("the message has a container of enum constants of "
                    + (found == null ? "no class" : found.getType().getName() + ", which is not an enum"));
        }
        return found;
    }

    private static Enum readConstant(ServiceKryo kryo, Input input, Registration of) {
        Object constant = kryo.readObject(input, of.getType(), of.getSerializer());
        if (constant instanceof Enum<?> known) {
            return known;
        }
        throw new KryoException(
                "the message has null instead of a constant of " + of.getType().getName());
    }

    static final class OfSet extends Serializer<EnumSet> {

        @Override
        public void write(Kryo kryo, Output output, EnumSet set) {
            Class<?> type = typeOf(set);
            ServiceKryo own = (ServiceKryo) kryo;
            writeEnum(own, output, type);
            output.writeVarInt(set.size(), true);
            Serializer<?> serializer = own.getSerializer(type);
            for (Object constant : set) {
                own.writeObject(output, constant, serializer);
            }
        }

        private static Class<?> typeOf(EnumSet<?> set) {
            EnumSet<?> any = set.isEmpty() ? EnumSet.complementOf(set) : set;
            if (any.isEmpty()) {
                throw new KryoException("an EnumSet of an enum without constants is not serializable");
            }
            return any.iterator().next().getDeclaringClass();
        }

        @Override
        public EnumSet read(Kryo kryo, Input input, Class<? extends EnumSet> type) {
            ServiceKryo own = (ServiceKryo) kryo;
            Registration of = readEnum(own, input);
            ((KryoInput) input).chargeNow(HeapEstimate.ofEnumSet(of.getType()));
            EnumSet set = EnumSet.noneOf(of.getType());
            kryo.reference(set);
            int size = ((KryoInput) input).readSize();
            for (int i = 0; i < size; i++) {
                set.add(readConstant(own, input, of));
            }
            return set;
        }
    }

    static final class OfMap extends Serializer<EnumMap> {

        @Override
        public void write(Kryo kryo, Output output, EnumMap map) {
            ServiceKryo own = (ServiceKryo) kryo;
            Class<?> type = typeOf(own, map);
            writeEnum(own, output, type);
            output.writeVarInt(map.size(), true);
            Serializer<?> serializer = own.getSerializer(type);
            InlineTypeCache cache = new InlineTypeCache();
            for (Object each : map.entrySet()) {
                Map.Entry<?, ?> entry = (Map.Entry<?, ?>) each;
                own.writeObject(output, entry.getKey(), serializer);
                own.writePolymorphic(output, entry.getValue(), cache);
            }
        }

        private static Class<?> typeOf(ServiceKryo kryo, EnumMap<?, ?> map) {
            return map.isEmpty()
                    ? typeOfEmpty(kryo, map)
                    : map.keySet().iterator().next().getDeclaringClass();
        }

        /**
         * Finds the enum of an empty map, which has no accessor for it. A copy of the map accepts only constants of
         * its enum.
         */
        private static Class<?> typeOfEmpty(ServiceKryo kryo, EnumMap map) {
            for (Class<?> each : kryo.enums()) {
                Object[] constants = each.getEnumConstants();
                if (constants.length > 0 && takes(map.clone(), (Enum<?>) constants[0])) {
                    return each;
                }
            }
            throw new KryoException("an empty EnumMap is not serializable if its enum is not a class of the service:"
                    + " use the enum in the signatures of the service");
        }

        private static boolean takes(EnumMap map, Enum<?> key) {
            try {
                map.put(key, null);
                return true;
            } catch (ClassCastException e) {
                return false;
            }
        }

        @Override
        public EnumMap read(Kryo kryo, Input input, Class<? extends EnumMap> type) {
            ServiceKryo own = (ServiceKryo) kryo;
            Registration of = readEnum(own, input);
            ((KryoInput) input).chargeNow(HeapEstimate.ofEnumMap(of.getType()));
            EnumMap map = new EnumMap(of.getType());
            kryo.reference(map);
            int size = ((KryoInput) input).readSize();
            InlineTypeCache cache = new InlineTypeCache();
            for (int i = 0; i < size; i++) {
                Enum key = readConstant(own, input, of);
                map.put(key, own.readPolymorphic(input, cache));
            }
            return map;
        }
    }
}
