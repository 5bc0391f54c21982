package io.rdmarpc.service.codec.type;

import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Describes the shape of a class in messages. Two processes compare the descriptions, and differences are shown to
 * users.
 */
public final class TypeShapes {

    private TypeShapes() {}

    public static String of(Class<?> type, boolean evolving) {
        return evolving ? "evolving " + of(type) : of(type);
    }

    private static String of(Class<?> type) {
        if (type.isRecord()) {
            return Arrays.stream(type.getRecordComponents())
                    .map(component -> member(component.getName(), component.getGenericType()))
                    .collect(Collectors.joining(", ", "record(", ")"));
        }
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants())
                    .map(constant -> ((Enum<?>) constant).name())
                    .collect(Collectors.joining(", ", "enum(", ")"));
        }
        if (type.isArray()) {
            return "array of " + type.getComponentType().getTypeName();
        }
        SuperclassTypes types = new SuperclassTypes(type);
        return ContractTypes.fieldsOf(type)
                .map(field -> member(field.getName(), types.resolve(field.getGenericType())))
                .collect(Collectors.joining(", ", "class(", ")"));
    }

    private static String member(String name, Type type) {
        return name + ": " + type.getTypeName();
    }
}
