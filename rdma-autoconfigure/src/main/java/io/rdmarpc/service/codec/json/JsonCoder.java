package io.rdmarpc.service.codec.json;

import io.rdmarpc.service.codec.MessageCoder;
import io.rdmarpc.service.codec.MessageInput;
import io.rdmarpc.service.codec.MessageOutput;
import io.rdmarpc.service.codec.MessageShape;
import io.rdmarpc.service.codec.RdmaMessageBudgetException;
import io.rdmarpc.service.codec.SerializationSettings;
import io.rdmarpc.service.codec.limit.MessageBudget;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/** Encodes and decodes messages as arrays of JSON values. */
final class JsonCoder implements MessageCoder {

    private final JsonFactory factory;
    private final ObjectWriter[][] writers;
    private final ObjectReader[][] readers;
    private final SerializationSettings settings;
    private final MessageBudget budget;

    JsonCoder(JsonFactory factory, JsonMapper mapper, List<MessageShape> shapes, SerializationSettings settings) {
        this.factory = factory;
        this.settings = settings;
        this.budget = new MessageBudget(settings);
        this.writers = shapes.stream()
                .map(shape -> typesOf(mapper, shape).map(mapper::writerFor).toArray(ObjectWriter[]::new))
                .toArray(ObjectWriter[][]::new);
        this.readers = shapes.stream()
                .map(shape -> typesOf(mapper, shape).map(mapper::readerFor).toArray(ObjectReader[]::new))
                .toArray(ObjectReader[][]::new);
    }

    private static Stream<JavaType> typesOf(JsonMapper mapper, MessageShape shape) {
        return shape.types().stream().map(type -> javaType(mapper, type, new HashSet<>()));
    }

    /** Resolves the type variables of generic super-interfaces. */
    private static JavaType javaType(JsonMapper mapper, ResolvableType type, Set<Type> seen) {
        if (type.isArray()) {
            return mapper.getTypeFactory().constructArrayType(javaType(mapper, type.getComponentType(), seen));
        }
        // A bound may refer to its own variable, as in T extends Comparable<T>.
        boolean circle = type.getType() instanceof TypeVariable<?> && !seen.add(type.getType());
        if (circle || !type.hasGenerics()) {
            return mapper.constructType(type.toClass());
        }
        JavaType[] arguments = Arrays.stream(type.getGenerics())
                .map(argument -> javaType(mapper, argument, seen))
                .toArray(JavaType[]::new);
        return mapper.getTypeFactory().constructParametricType(type.toClass(), arguments);
    }

    @Override
    public void write(MessageShape shape, @Nullable Object[] values, MessageOutput output) {
        ObjectWriter[] each = writers[shape.number()];
        try (JsonGenerator generator = factory.createGenerator(ObjectWriteContext.empty(), output.stream())) {
            generator.writeStartArray();
            for (int i = 0; i < each.length; i++) {
                if (values[i] == null && shape.types().get(i).toClass().isPrimitive()) {
                    throw new IllegalArgumentException("the value of a primitive type is null");
                }
                each[i].writeValue(generator, values[i]);
            }
            generator.writeEndArray();
        }
    }

    @Override
    public void read(MessageShape shape, MessageInput input, @Nullable Object[] values) {
        ObjectReader[] each = readers[shape.number()];
        budget.begin();
        try (JsonParser parser = new BudgetedJsonParser(
                factory.createParser(ObjectReadContext.empty(), input.stream()), budget, input)) {
            require(parser, JsonToken.START_ARRAY);
            for (int i = 0; i < each.length; i++) {
                if (parser.nextToken() == JsonToken.END_ARRAY) {
                    throw new IllegalArgumentException(
                            "the message has " + i + " values, but the method has " + each.length);
                }
                values[i] = each[i].readValue(parser);
            }
            require(parser, JsonToken.END_ARRAY);
            require(parser, null);
        } catch (StreamConstraintsException e) {
            throw exceeded(e);
        }
    }

    /** Replaces Jackson's failure of a limit by one with the property of this library. */
    private RdmaMessageBudgetException exceeded(StreamConstraintsException e) {
        String text = e.getOriginalMessage();
        if (text.startsWith("Token count")) {
            return RdmaMessageBudgetException.of(text, settings.maxElements() + " values", "max-elements");
        }
        if (text.contains("nesting depth")) {
            return RdmaMessageBudgetException.of(text, settings.maxDepth() + " levels", "max-depth");
        }
        if (text.startsWith("String")) {
            return RdmaMessageBudgetException.of(text, settings.maxBytes() + " chars", "max-size");
        }
        return new RdmaMessageBudgetException(text + ": this limit is not configurable; send less");
    }

    /** Each message has its own generator and parser, so no state remains. */
    @Override
    public boolean recover() {
        return true;
    }

    private static void require(JsonParser parser, @Nullable JsonToken expected) {
        JsonToken token = parser.nextToken();
        if (token != expected) {
            throw new IllegalArgumentException("the message has "
                    + (token == null ? "no token" : token) + " instead of "
                    + (expected == null ? "its end" : expected));
        }
    }
}
