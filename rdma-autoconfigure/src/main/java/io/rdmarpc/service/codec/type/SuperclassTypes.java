package io.rdmarpc.service.codec.type;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Replaces type variables of superclasses by the type arguments of the class: {@code T} of {@code Box<T>} is
 * {@code String} in {@code class StringBox extends Box<String>}. Variables of the class itself are kept.
 */
final class SuperclassTypes {

    private final Map<TypeVariable<?>, Type> bindings = new HashMap<>();

    /**
     * Collects the type arguments of all superclasses.
     *
     * @param type the class whose inherited fields are resolved
     */
    SuperclassTypes(Class<?> type) {
        Class<?> each = type;
        while (each.getSuperclass() != null) {
            if (each.getGenericSuperclass() instanceof ParameterizedType generic) {
                TypeVariable<?>[] variables = each.getSuperclass().getTypeParameters();
                Type[] arguments = generic.getActualTypeArguments();
                for (int i = 0; i < variables.length; i++) {
                    bindings.put(variables[i], resolve(arguments[i]));
                }
            }
            each = each.getSuperclass();
        }
    }

    Type resolve(Type type) {
        return switch (type) {
            case TypeVariable<?> variable -> bindings.getOrDefault(variable, variable);
            case ParameterizedType generic -> {
                Type[] arguments = generic.getActualTypeArguments();
                Type[] resolved = resolve(arguments);
                yield Arrays.equals(arguments, resolved) ? generic : new Generic(generic, resolved);
            }
            case GenericArrayType array -> {
                Type element = resolve(array.getGenericComponentType());
                yield element instanceof Class<?> plain ? plain.arrayType() : new ArrayOf(element);
            }
            case WildcardType wildcard -> {
                Type[] upper = resolve(wildcard.getUpperBounds());
                Type[] lower = resolve(wildcard.getLowerBounds());
                boolean same = Arrays.equals(upper, wildcard.getUpperBounds())
                        && Arrays.equals(lower, wildcard.getLowerBounds());
                yield same ? wildcard : new Bounded(upper, lower);
            }
            default -> type;
        };
    }

    private Type[] resolve(Type[] types) {
        return Arrays.stream(types).map(this::resolve).toArray(Type[]::new);
    }

    private static String names(Type[] types, String separator) {
        StringJoiner names = new StringJoiner(separator);
        for (Type type : types) {
            names.add(type.getTypeName());
        }
        return names.toString();
    }

    private static final class Generic implements ParameterizedType {

        private final ParameterizedType declared;
        private final Type[] arguments;

        Generic(ParameterizedType declared, Type[] arguments) {
            this.declared = declared;
            this.arguments = arguments;
        }

        @Override
        public Type[] getActualTypeArguments() {
            return arguments.clone();
        }

        @Override
        public Type getRawType() {
            return declared.getRawType();
        }

        @Override
        public @Nullable Type getOwnerType() {
            return declared.getOwnerType();
        }

        @Override
        public String getTypeName() {
            return getRawType().getTypeName() + "<" + names(arguments, ", ") + ">";
        }

        @Override
        public boolean equals(@Nullable Object o) {
            return o instanceof Generic other
                    && getRawType().equals(other.getRawType())
                    && Arrays.equals(arguments, other.arguments);
        }

        @Override
        public int hashCode() {
            return 31 * getRawType().hashCode() + Arrays.hashCode(arguments);
        }

        @Override
        public String toString() {
            return getTypeName();
        }
    }

    private record ArrayOf(Type element) implements GenericArrayType {

        @Override
        public Type getGenericComponentType() {
            return element;
        }

        @Override
        public String getTypeName() {
            return element.getTypeName() + "[]";
        }

        @Override
        public String toString() {
            return getTypeName();
        }
    }

    private static final class Bounded implements WildcardType {

        private final Type[] upper;
        private final Type[] lower;

        Bounded(Type[] upper, Type[] lower) {
            this.upper = upper;
            this.lower = lower;
        }

        @Override
        public Type[] getUpperBounds() {
            return upper.clone();
        }

        @Override
        public Type[] getLowerBounds() {
            return lower.clone();
        }

        @Override
        public String getTypeName() {
            return lower.length > 0 ? "? super " + names(lower, " & ") : "? extends " + names(upper, " & ");
        }

        @Override
        public boolean equals(@Nullable Object o) {
            return o instanceof Bounded other && Arrays.equals(upper, other.upper) && Arrays.equals(lower, other.lower);
        }

        @Override
        public int hashCode() {
            return 31 * Arrays.hashCode(upper) + Arrays.hashCode(lower);
        }

        @Override
        public String toString() {
            return getTypeName();
        }
    }
}
