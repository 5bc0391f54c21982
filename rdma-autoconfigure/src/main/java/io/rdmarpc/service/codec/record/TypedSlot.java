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
 * A position in a message for values of one declared type: a component of a record, or the elements of a container.
 * Each slot has its own code with an inline cache of its last class. A cache in shared code would get values of all
 * classes.
 *
 * @param number number within a record, from 0
 * @param type declared class
 * @param kind encoding of its values
 * @param leaf whether its values contain no other values
 * @param element whether it is in a container, which has already entered its elements
 * @param inner slots of the elements of a collection, or of the keys and values of a map
 */
record TypedSlot(int number, Class<?> type, SlotKind kind, boolean leaf, boolean element, List<TypedSlot> inner) {

    /** Maximum nesting of containers with their own code. Deeper containers are written by shared code. */
    private static final int MAX_NESTING = 4;

    TypedSlot {
        inner = List.copyOf(inner);
    }

    /** Returns whether values are usually of exactly the declared class. */
    boolean isExact() {
        return Modifier.isFinal(type.getModifiers()) && !type.isArray();
    }

    boolean isContainer() {
        return !inner.isEmpty();
    }

    boolean isMap() {
        return inner.size() == 2;
    }

    /** Returns the slots of the components in their order. Slots inside them have the following numbers. */
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

    /** Returns whether a declared type determines the elements of a container. */
    static boolean isContainer(ResolvableType declared) {
        Class<?> type = declared.toClass();
        return SlotKind.of(type) == SlotKind.POLYMORPHIC
                && (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type));
    }

    /** Returns all slots, each after the slot that contains it. */
    static List<TypedSlot> all(List<TypedSlot> slots) {
        List<TypedSlot> result = new ArrayList<>();
        for (TypedSlot slot : slots) {
            result.add(slot);
            result.addAll(all(slot.inner));
        }
        return result;
    }

    /** Returns the inner slots of a declared type; empty if it is not a container. */
    static List<TypedSlot> innerOf(ResolvableType declared, Class<?> type) {
        return new Finder(0).inner(declared, type, 1);
    }

    private static final class Finder {

        private int next;

        Finder(int next) {
            this.next = next;
        }

        List<TypedSlot> inner(ResolvableType declared, Class<?> type, int depth) {
            if (depth > MAX_NESTING) {
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

        /**
         * Elements always have the number of their class. Unchecked code may add elements that violate the declared
         * type.
         */
        private TypedSlot element(ResolvableType declared, int depth) {
            Class<?> type = declared.toClass();
            int number = next++;
            return new TypedSlot(
                    number, type, SlotKind.POLYMORPHIC, isLeaf(type), true, inner(declared, type, depth + 1));
        }
    }
}
