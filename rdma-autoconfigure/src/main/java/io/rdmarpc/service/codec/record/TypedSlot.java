package io.rdmarpc.service.codec.record;

import io.rdmarpc.service.codec.type.Members;
import io.rdmarpc.service.codec.type.StandardTypes;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.springframework.core.ResolvableType;

/**
 * A slot in a message for values of a declared type: a component of a record, or the elements of the container that is there. Each
 * slot has code of its own, which remembers the class that it met last; code for all slots would meet all classes.
 *
 * @param number counts from 0 within a record
 * @param type declared
 * @param kind how its values are written
 * @param leaf whether its values have no others inside
 * @param element whether it is in a container, which has gone into its elements
 * @param inner slots of the elements of a collection, or of the keys and the values of a map
 */
record TypedSlot(int number, Class<?> type, SlotKind kind, boolean leaf, boolean element, List<TypedSlot> inner) {

    /** Containers in containers; what is deeper is written by code for all slots. */
    private static final int MOST_NESTED = 4;

    TypedSlot {
        inner = List.copyOf(inner);
    }

    /** Whether values are mostly of exactly the declared class. */
    boolean isExact() {
        return Modifier.isFinal(type.getModifiers()) && !type.isArray();
    }

    boolean isContainer() {
        return !inner.isEmpty();
    }

    boolean isMap() {
        return inner.size() == 2;
    }

    /** The slots of the components, in their order; those inside of them have the numbers behind. */
    static List<TypedSlot> of(Members members) {
        Finder finder = new Finder(members.count());
        List<TypedSlot> result = new ArrayList<>();
        for (int i = 0; i < members.count(); i++) {
            Class<?> type = members.type(i);
            SlotKind kind = SlotKind.of(type);
            List<TypedSlot> inner =
                    kind == SlotKind.POLYMORPHIC ? finder.inner(members.declared(i), type, 1) : List.of();
            result.add(new TypedSlot(i, type, kind, isLeaf(type), false, inner));
        }
        return result;
    }

    private static boolean isLeaf(Class<?> type) {
        return type.isEnum() || StandardTypes.isLeaf(type);
    }

    /** Tells whether a declared type says what is in it. */
    static boolean isContainer(ResolvableType declared) {
        Class<?> type = declared.toClass();
        return SlotKind.of(type) == SlotKind.POLYMORPHIC
                && (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type));
    }

    /** All of them, each behind the one it is in. */
    static List<TypedSlot> all(List<TypedSlot> slots) {
        List<TypedSlot> result = new ArrayList<>();
        for (TypedSlot slot : slots) {
            result.add(slot);
            result.addAll(all(slot.inner));
        }
        return result;
    }

    /** The slots of what a declared type says is in a value, none where it says nothing. */
    static List<TypedSlot> innerOf(ResolvableType declared, Class<?> type) {
        return new Finder(0).inner(declared, type, 1);
    }

    private static final class Finder {

        private int next;

        Finder(int next) {
            this.next = next;
        }

        List<TypedSlot> inner(ResolvableType declared, Class<?> type, int depth) {
            if (depth > MOST_NESTED) {
                return List.of();
            }
            if (Collection.class.isAssignableFrom(type)) {
                return List.of(element(declared.as(Collection.class).getGeneric(0), depth));
            }
            if (Map.class.isAssignableFrom(type)) {
                ResolvableType map = declared.as(Map.class);
                return List.of(element(map.getGeneric(0), depth), element(map.getGeneric(1), depth));
            }
            return List.of();
        }

        /** Each element has the number of its class, whatever is declared: code that is not checked puts in what it likes. */
        private TypedSlot element(ResolvableType declared, int depth) {
            Class<?> type = declared.toClass();
            int number = next++;
            return new TypedSlot(
                    number, type, SlotKind.POLYMORPHIC, isLeaf(type), true, inner(declared, type, depth + 1));
        }
    }
}
