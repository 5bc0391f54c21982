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
 * The serialized members of a class: the components of a record in declaration order, or the fields of a class in
 * name order. Getters, setters and constructors are method handles whose reference types are erased to Object, so
 * that code of any class can call them.
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

    /** Returns the members of a value that is not a component, as if it were the only component of a record. */
    public static Members ofValue(ResolvableType declared) {
        MethodHandle identity = MethodHandles.identity(Object.class);
        return new Members(
                declared.toClass(),
                List.of("value"),
                List.of(declared.toClass()),
                List.of(declared.getType()),
                List.of(identity),
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
                    member + " is not accessible: " + e.getMessage(),
                    "Open its package to io.rdmarpc.autoconfigure, or register its class with a serializer in a"
                            + " KryoCustomizer bean");
        }
    }

    /** Erases the reference types of a handle and keeps primitives. A varargs component remains an array. */
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

    /** Returns the erased type. A field of a type variable may hold any value that its bound permits. */
    public Class<?> type(int member) {
        return types.get(member);
    }

    /**
     * Returns the declared type with its type arguments. A variable of a superclass is replaced by the class's type
     * argument.
     */
    public ResolvableType declared(int member) {
        return ResolvableType.forType(declared.get(member));
    }

    /** Returns a handle that takes the object and returns the member's value. */
    public MethodHandle getter(int member) {
        return getters.get(member);
    }

    /** Returns a handle that takes the object and the member's new value. Not for records. */
    public MethodHandle setter(int member) {
        return setters.get(member);
    }

    /** Returns a handle that takes all components and returns the record, or takes and returns a single value. */
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
