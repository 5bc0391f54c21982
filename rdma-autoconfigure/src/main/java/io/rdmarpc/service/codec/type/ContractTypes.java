package io.rdmarpc.service.codec.type;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.service.DetailedFailure;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import io.rdmarpc.service.contract.ServiceDescription;
import io.rdmarpc.service.contract.ServiceMethod;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Finds the serializable classes of one service, by a traversal from the types of its methods. It follows type
 * arguments, record components, fields, permitted subclasses of sealed types, and elements of arrays. The traversal
 * depends only on the interface, so two processes with the same interface find the same classes.
 */
public final class ContractTypes {

    private static final Comparator<Class<?>> BY_NAME = Comparator.comparing(Class::getName);

    private final Set<Class<?>> registered;
    private final SortedSet<Class<?>> found = new TreeSet<>(BY_NAME);
    private final Map<Class<?>, String> open = new LinkedHashMap<>();
    private final Set<Type> seen = new HashSet<>();

    private ContractTypes(Set<Class<?>> registered) {
        this.registered = registered;
    }

    /**
     * Finds the classes of a service.
     *
     * @param service the service
     * @param registered classes that the application has registered, which are not searched for
     * @param transparent registered classes that are written by their fields or components, so that the traversal
     *     enters them
     * @return the classes to register, in order of their names
     * @throws RdmaInvalidServiceException if a class is not serializable
     */
    public static SortedSet<Class<?>> of(
            ServiceDescription service, Set<Class<?>> registered, Collection<Class<?>> transparent) {
        ContractTypes types = new ContractTypes(registered);
        service.methods().forEach(types::visitMethod);
        transparent.forEach(types::visitMembers);
        types.requireImplementations();
        return types.found;
    }

    private void visitMethod(ServiceMethod method) {
        for (int i = 0; i < method.parameters().size() && !WholeMessage.isArgumentOf(method); i++) {
            visitResolvable(method.parameters().get(i), "parameter " + (i + 1) + " of " + method);
        }
        if (!WholeMessage.isResultOf(method)) {
            visitResolvable(method.result(), "the result of " + method);
        }
        for (DetailedFailure failure : DetailedFailure.of(method)) {
            failure.fields()
                    .forEach(field -> visitResolvable(
                            field.type(), "the failure " + failure.type().getName() + " of " + method));
        }
    }

    /** Visits the type as resolved against the interface, so that {@code T} of a generic super-interface is known. */
    private void visitResolvable(ResolvableType type, String place) {
        // A bound may refer to its own variable, as in T extends Comparable<T>.
        if (type.getType() instanceof TypeVariable<?> variable) {
            if (!seen.add(variable)) {
                return;
            }
            visitFurtherBounds(variable, place);
        }
        visitClass(type.toClass(), place);
        for (ResolvableType argument : type.getGenerics()) {
            visitResolvable(argument, place);
        }
        if (type.isArray()) {
            visitResolvable(type.getComponentType(), place);
        }
    }

    private void visit(Type type, String place) {
        if (!seen.add(type)) {
            return;
        }
        switch (type) {
            case Class<?> plain -> visitClass(plain, place);
            case ParameterizedType generic -> {
                visit(generic.getRawType(), place);
                visitAll(generic.getActualTypeArguments(), place);
            }
            case GenericArrayType array -> {
                visit(array.getGenericComponentType(), place);
                visitClass(ResolvableType.forType(array).toClass(), place);
            }
            case WildcardType wildcard -> {
                visitAll(wildcard.getUpperBounds(), place);
                visitAll(wildcard.getLowerBounds(), place);
            }
            // A variable represents its bounds. Its actual type is visited at the type argument.
            case TypeVariable<?> variable -> {
                visit(variable.getBounds()[0], place);
                visitFurtherBounds(variable, place);
            }
            default -> throw new IllegalArgumentException("unknown kind of type: " + type);
        }
    }

    /**
     * Visits further bounds. A value is of the first bound. The others add the classes that a sealed bound permits.
     */
    private void visitFurtherBounds(TypeVariable<?> variable, String place) {
        Arrays.stream(variable.getBounds())
                .skip(1)
                .filter(bound -> ResolvableType.forType(bound).toClass().isSealed())
                .forEach(bound -> visit(bound, place));
    }

    private void visitAll(Type[] types, String place) {
        for (Type type : types) {
            visit(type, place);
        }
    }

    private void visitClass(Class<?> type, String place) {
        if (isKnown(type)) {
            return;
        }
        if (type.isArray()) {
            found.add(type);
            visitClass(type.getComponentType(), place);
        } else if (isOpen(type)) {
            open.putIfAbsent(type, place);
        } else if (type.isSealed() && !type.isEnum()) {
            addIfConcrete(type, place);
            Arrays.stream(type.getPermittedSubclasses()).forEach(permitted -> visit(permitted, place));
        } else {
            addIfConcrete(type, place);
        }
    }

    /**
     * Returns whether any class may implement the type. Enums may be abstract or sealed, but only their constants
     * extend them.
     */
    private static boolean isOpen(Class<?> type) {
        return Modifier.isAbstract(type.getModifiers()) && !type.isSealed() && !type.isEnum();
    }

    private boolean isKnown(Class<?> type) {
        return ClassUtils.isPrimitiveOrWrapper(type)
                || type == String.class
                || type == Object.class
                || StandardTypes.contains(type)
                || registered.contains(type)
                || found.contains(type);
    }

    private void addIfConcrete(Class<?> type, String place) {
        if (Modifier.isAbstract(type.getModifiers()) && !type.isEnum()) {
            return;
        }
        requireSerializable(type, place);
        found.add(type);
        visitMembers(type);
    }

    private static void requireSerializable(Class<?> type, String place) {
        boolean container = Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type);
        boolean usable = type.isEnum() || type.isRecord() || (container ? hasConstructor(type) : !isOfPlatform(type));
        if (AutoCloseable.class.isAssignableFrom(type) && !type.isRecord()) {
            throw new RdmaInvalidServiceException(
                    place + " leads to " + type.getName() + ", which is a resource that must be closed",
                    type == MessageBuffer.class
                            ? "A MessageBuffer is a whole message: declare it as the only parameter, or as the result,"
                                    + " of a method without streams"
                            : "Send its content, such as byte[], ByteBuffer or MemorySegment");
        }
        String instead = PlatformAdvice.alternativeTo(type);
        if (!usable || instead != null || Throwable.class.isAssignableFrom(type)) {
            throw new RdmaInvalidServiceException(
                    place + " leads to " + type.getName() + ", which is not serializable",
                    instead != null ? instead : advice(container));
        }
    }

    private static String advice(boolean container) {
        return container
                ? "Declare the interface, such as List, Set or Map"
                : "Use a record of your own, or register the class with a serializer in a KryoCustomizer bean";
    }

    private static boolean hasConstructor(Class<?> container) {
        return Modifier.isPublic(container.getModifiers()) && ClassUtils.hasConstructor(container);
    }

    /** Returns whether the class belongs to the JDK, whose fields are not accessible. */
    public static boolean isOfPlatform(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        return loader == null || loader.equals(ClassLoader.getPlatformClassLoader());
    }

    private void visitMembers(Class<?> type) {
        if (Collection.class.isAssignableFrom(type)) {
            visitElements(type, Collection.class);
        } else if (Map.class.isAssignableFrom(type)) {
            visitElements(type, Map.class);
        } else if (type.isRecord()) {
            for (RecordComponent component : type.getRecordComponents()) {
                visit(component.getGenericType(), type.getName() + "." + component.getName());
            }
        } else if (!type.isEnum()) {
            SuperclassTypes types = new SuperclassTypes(type);
            fieldsOf(type)
                    .forEach(field ->
                            visit(types.resolve(field.getGenericType()), type.getName() + "." + field.getName()));
        }
    }

    /** Visits the elements of a container class, which is serialized as its elements. */
    private void visitElements(Class<?> type, Class<?> container) {
        requireNothingElse(type);
        for (ResolvableType element :
                ResolvableType.forClass(type).as(container).getGenerics()) {
            visitResolvable(element, "an element of " + type.getName());
        }
    }

    /** Rejects fields of an application class that extends a container class of the JDK. They would be lost. */
    private static void requireNothingElse(Class<?> type) {
        Class<?> base = type;
        while (!isOfPlatform(base)) {
            base = base.getSuperclass();
        }
        List<String> lost = fieldsOf(type).map(Field::getName).toList();
        if (base != Object.class && !Modifier.isAbstract(base.getModifiers()) && !lost.isEmpty()) {
            throw new RdmaInvalidServiceException(
                    type.getName() + " extends " + base.getName() + " and is serialized as its elements: its fields "
                            + String.join(", ", lost) + " would be lost",
                    "Use a record that has the fields and the container, or register the class with a serializer in a"
                            + " KryoCustomizer bean");
        }
    }

    /** Returns the fields of superclasses of the JDK, which other modules cannot read. */
    public static List<Field> hiddenFieldsOf(Class<?> type) {
        return Stream.<Class<?>>iterate(type, Objects::nonNull, Class::getSuperclass)
                .filter(ContractTypes::isOfPlatform)
                .flatMap(c -> Arrays.stream(c.getDeclaredFields()))
                .filter(ContractTypes::isSerialized)
                .toList();
    }

    private static boolean isSerialized(Field field) {
        return !Modifier.isStatic(field.getModifiers())
                && !Modifier.isTransient(field.getModifiers())
                && !field.isSynthetic();
    }

    /** Returns the serialized fields, in order of their names. */
    public static Stream<Field> fieldsOf(Class<?> type) {
        return Stream.<Class<?>>iterate(type, c -> c != null && !isOfPlatform(c), Class::getSuperclass)
                .flatMap(c -> Arrays.stream(c.getDeclaredFields()))
                .filter(ContractTypes::isSerialized)
                .sorted(Comparator.comparing(Field::getName));
    }

    /** Requires at least one known implementation of each type that any class may implement. */
    private void requireImplementations() {
        open.forEach((type, place) -> {
            boolean implemented = StandardTypes.anyIsA(type)
                    || Stream.concat(found.stream(), registered.stream()).anyMatch(type::isAssignableFrom);
            if (!implemented) {
                String instead = PlatformAdvice.alternativeTo(type);
                throw new RdmaInvalidServiceException(
                        place + " leads to " + type.getName() + ", which has no known implementations",
                        instead != null
                                ? instead
                                : "Make it sealed, use a record, or register the classes in a KryoCustomizer bean");
            }
        });
    }
}
