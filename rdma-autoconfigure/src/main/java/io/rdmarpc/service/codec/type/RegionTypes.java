package io.rdmarpc.service.codec.type;

import io.rdmarpc.remote.RemoteRegion;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.core.ResolvableType;

/** Finds the messages that can contain memory regions, so that other messages need no session scope. */
public final class RegionTypes {

    private RegionTypes() {}

    /** Returns whether values of these types can contain regions, according to the declared types. */
    public static boolean areIn(List<ResolvableType> types) {
        Set<Type> seen = new HashSet<>();
        return types.stream().anyMatch(type -> isIn(type, seen));
    }

    private static boolean isIn(ResolvableType type, Set<Type> seen) {
        // A bound may refer to its own variable, as in T extends Comparable<T>.
        if (type.getType() instanceof TypeVariable<?> && !seen.add(type.getType())) {
            return false;
        }
        Class<?> raw = type.toClass();
        return raw == RemoteRegion.class
                || Arrays.stream(type.getGenerics()).anyMatch(argument -> isIn(argument, seen))
                || (type.isArray() && isIn(type.getComponentType(), seen))
                || (seen.add(raw) && members(raw).anyMatch(member -> isIn(member, seen)));
    }

    private static Stream<ResolvableType> members(Class<?> type) {
        if (type.isRecord()) {
            return Arrays.stream(type.getRecordComponents())
                    .map(RecordComponent::getGenericType)
                    .map(ResolvableType::forType);
        }
        if (type.isSealed() && !type.isEnum()) {
            return Arrays.stream(type.getPermittedSubclasses()).map(ResolvableType::forClass);
        }
        SuperclassTypes types = new SuperclassTypes(type);
        return ContractTypes.fieldsOf(type).map(field -> ResolvableType.forType(types.resolve(field.getGenericType())));
    }
}
