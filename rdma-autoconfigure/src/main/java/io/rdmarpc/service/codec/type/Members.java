package io.rdmarpc.service.codec.type;

import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import org.springframework.core.ResolvableType;

/**
 * The members of a class that travel: a record's components in the order of their declaration, a class's fields in the order
 * of their names. What reads and makes the values are method handles whose references are all of type Object, so that code
 * anywhere can call them.
 */
public final class Members {

    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

    private final Class<?> type;
    private final List<String> names;
    private final List<Class<?>> types;
    private final List<Type> declared;
    private final List<MethodHandle> getters;
    private final List<MethodHandle> setters;

    private Members(
            Class<?> type,
            List<String> names,
            List<Class<?>> types,
            List<Type> declared,
            List<MethodHandle> getters,
            List<MethodHandle> setters) {
        this.type = type;
        this.names = names;
        this.types = types;
        this.declared = declared;
        this.getters = getters;
        this.setters = setters;
    }

    /** A value that stands alone, as if it were the only component of a record. */
    public static Members ofValue(ResolvableType declared) {
        MethodHandle itself = MethodHandles.identity(Object.class);
        return new Members(
                declared.toClass(),
                List.of("value"),
                List.of(declared.toClass()),
                List.of(declared.getType()),
                List.of(itself),
                List.of());
    }

    public static Members of(Class<?> type) {
        return type.isRecord() ? ofRecord(type) : ofClass(type);
    }

    private static Members ofRecord(Class<?> type) {
        List<RecordComponent> components = List.of(type.getRecordComponents());
        return new Members(
                type,
                components.stream().map(RecordComponent::getName).toList(),
                components.stream().<Class<?>>map(RecordComponent::getType).toList(),
                components.stream().map(RecordComponent::getGenericType).toList(),
                components.stream()
                        .map(component -> getter(component.getAccessor()))
                        .toList(),
                List.of());
    }

    private static Members ofClass(Class<?> type) {
        List<Field> fields = ContractTypes.fieldsOf(type).toList();
        SuperclassTypes types = new SuperclassTypes(type);
        return new Members(
                type,
                fields.stream().map(Field::getName).toList(),
                fields.stream().<Class<?>>map(Field::getType).toList(),
                fields.stream()
                        .map(field -> types.resolve(field.getGenericType()))
                        .toList(),
                fields.stream().map(Members::getter).toList(),
                fields.stream().map(Members::setter).toList());
    }

    private static MethodHandle getter(Method accessor) {
        return handle(accessor, () -> erased(LOOKUP.unreflect(accessor)));
    }

    private static MethodHandle getter(Field field) {
        return handle(field, () -> erased(LOOKUP.unreflectGetter(field)));
    }

    private static MethodHandle setter(Field field) {
        return handle(field, () -> erased(LOOKUP.unreflectSetter(field)));
    }

    private interface Source {
        MethodHandle open() throws IllegalAccessException;
    }

    private static MethodHandle handle(AccessibleObject member, Source source) {
        try {
            member.setAccessible(true);
            return source.open();
        } catch (IllegalAccessException | RuntimeException e) {
            throw new RdmaInvalidServiceException(
                    member + " cannot be reached: " + e.getMessage(),
                    "Open its package to io.rdmarpc.autoconfigure, or register its class with a serializer in a"
                            + " KryoCustomizer bean");
        }
    }

    /** Primitives stay as they are. A canonical constructor with a varargs component takes the array as it is. */
    private static MethodHandle erased(MethodHandle handle) {
        MethodType erased = handle.type().erase();
        return handle.asFixedArity().asType(erased);
    }

    public Class<?> type() {
        return type;
    }

    public int count() {
        return names.size();
    }

    public String name(int member) {
        return names.get(member);
    }

    /** The erased type: a field of a type variable may hold whatever its bound allows. */
    public Class<?> type(int member) {
        return types.get(member);
    }

    /** The declared type with its type arguments; a variable of a superclass is replaced by what the class says that it is. */
    public ResolvableType declared(int member) {
        return ResolvableType.forType(declared.get(member));
    }

    /** Takes the holder, gives the member's value. */
    public MethodHandle getter(int member) {
        return getters.get(member);
    }

    /** Takes the holder and the member's value; not for records. */
    public MethodHandle setter(int member) {
        return setters.get(member);
    }

    /** Takes all components of a record, gives the record; of a value that stands alone gives the value. */
    public MethodHandle constructor() {
        if (!type.isRecord()) {
            return getters.getFirst();
        }
        Class<?>[] parameters = types.toArray(Class<?>[]::new);
        try {
            Constructor<?> canonical = type.getDeclaredConstructor(parameters);
            return handle(canonical, () -> erased(LOOKUP.unreflectConstructor(canonical)));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(
                    type.getName() + " has no canonical constructor of " + Arrays.toString(parameters), e);
        }
    }
}
