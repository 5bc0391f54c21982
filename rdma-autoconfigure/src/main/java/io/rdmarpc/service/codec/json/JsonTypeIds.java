package io.rdmarpc.service.codec.json;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.rdmarpc.service.codec.type.ContractTypes;
import io.rdmarpc.service.codec.type.SortOrder;
import io.rdmarpc.service.codec.type.StandardTypes;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DatabindContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.jsontype.impl.TypeIdResolverBase;

/** The type identifiers of classes in messages: class names of the service's classes and of the standard types. */
final class JsonTypeIds extends TypeIdResolverBase {

    private static final long serialVersionUID = 1L;

    private final transient Map<String, Class<?>> types = new HashMap<>();

    JsonTypeIds(Collection<Class<?>> ofService) {
        StandardTypes.all().forEach(this::add);
        ofService.forEach(this::add);
    }

    private void add(Class<?> type) {
        types.put(type.getName(), type);
    }

    boolean knows(String name) {
        return types.containsKey(name);
    }

    /** Returns whether a value of the declared type may have different classes. */
    boolean isOpen(JavaType declared) {
        Class<?> type = declared.getRawClass();
        if (type == Object.class) {
            return true;
        }
        if (declared.isContainerType()
                || declared.isReferenceType()
                || declared.isEnumType()
                || StandardTypes.contains(type)) {
            return false;
        }
        return !declared.isConcrete() || types.values().stream().anyMatch(each -> isBelow(each, type));
    }

    private static boolean isBelow(Class<?> each, Class<?> type) {
        return each != type && type.isAssignableFrom(each);
    }

    @Override
    public String idFromValue(DatabindContext context, Object value) {
        return idFromValueAndType(context, value, value.getClass());
    }

    @Override
    public String idFromValueAndType(DatabindContext context, @Nullable Object value, Class<?> suggested) {
        Class<?> type =
                value == null ? suggested : value instanceof Enum<?> e ? e.getDeclaringClass() : value.getClass();
        if (value != null && isContainerOfPlatform(type)) {
            Class<?> carrier = SortOrder.of(value) == SortOrder.OWN
                    ? StandardTypes.unsortedCarrierOf(type)
                    : StandardTypes.carrierOf(type);
            return carrier == null ? type.getName() : carrier.getName();
        }
        if (!knows(type.getName())) {
            Class<?> carrier = StandardTypes.carrierOf(type);
            if (carrier == null) {
                throw new IllegalArgumentException(
                        type.getName() + " is not in the service's contract: use it in the signatures of the service");
            }
            type = carrier;
        }
        return type.getName();
    }

    /** Returns whether the value is a container of the JDK, which arrives as its carrier class. */
    private static boolean isContainerOfPlatform(Class<?> type) {
        return (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type))
                && ContractTypes.isOfPlatform(type);
    }

    @Override
    public JavaType typeFromId(DatabindContext context, String id) {
        Class<?> type = types.get(id);
        if (type == null) {
            throw new IllegalArgumentException(
                    "the message names the class " + id + ", which is not in the service's contract");
        }
        return context.getTypeFactory().constructType(type);
    }

    @Override
    public JsonTypeInfo.Id getMechanism() {
        return JsonTypeInfo.Id.CUSTOM;
    }
}
