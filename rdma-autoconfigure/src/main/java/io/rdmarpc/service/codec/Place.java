package io.rdmarpc.service.codec;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.springframework.core.ResolvableType;

/**
 * Where in a message values of a declared type are: a component of a record, or what is in the container that is there. Each
 * place has code of its own, which knows what it met last; code for all places would meet everything.
 *
 * @param number counts from 0 within a record
 * @param type declared
 * @param kind how its values are written
 * @param leaf whether its values have no others inside
 * @param element whether it is in a container, which has gone into its elements
 * @param inner places of the elements of a collection, or of the keys and the values of a map
 */
record Place(int number, Class<?> type, SlotKind kind, boolean leaf, boolean element, List<Place> inner) {

    /** Containers in containers; what is deeper is written by code for all places. */
    private static final int MOST_NESTED = 4;

    Place {
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

    /** The places of the components, in their order; those inside of them have the numbers behind. */
    static List<Place> of(Members members) {
        Finder finder = new Finder(members.count());
        List<Place> result = new ArrayList<>();
        for (int i = 0; i < members.count(); i++) {
            Class<?> type = members.type(i);
            SlotKind kind = SlotKind.of(type);
            List<Place> inner = kind == SlotKind.OPEN ? finder.inner(members.declared(i), type, 1) : List.of();
            result.add(new Place(i, type, kind, isLeaf(type), false, inner));
        }
        return result;
    }

    private static boolean isLeaf(Class<?> type) {
        return type.isEnum() || StandardTypes.isLeaf(type);
    }

    /** Tells whether a declared type says what is in it. */
    static boolean isContainer(ResolvableType declared) {
        Class<?> type = declared.toClass();
        return SlotKind.of(type) == SlotKind.OPEN
                && (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type));
    }

    /** All of them, each behind the one it is in. */
    static List<Place> all(List<Place> places) {
        List<Place> result = new ArrayList<>();
        for (Place place : places) {
            result.add(place);
            result.addAll(all(place.inner));
        }
        return result;
    }

    /** The places of what a declared type says is in a value, none where it says nothing. */
    static List<Place> innerOf(ResolvableType declared, Class<?> type) {
        return new Finder(0).inner(declared, type, 1);
    }

    private static final class Finder {

        private int next;

        Finder(int next) {
            this.next = next;
        }

        List<Place> inner(ResolvableType declared, Class<?> type, int depth) {
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
        private Place element(ResolvableType declared, int depth) {
            Class<?> type = declared.toClass();
            int number = next++;
            return new Place(number, type, SlotKind.OPEN, isLeaf(type), true, inner(declared, type, depth + 1));
        }
    }
}
