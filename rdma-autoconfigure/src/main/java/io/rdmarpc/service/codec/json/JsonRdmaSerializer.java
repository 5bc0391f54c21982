package io.rdmarpc.service.codec.json;

import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.service.codec.MessageCoder;
import io.rdmarpc.service.codec.MessageShape;
import io.rdmarpc.service.codec.RdmaSerializer;
import io.rdmarpc.service.codec.RegionReferences;
import io.rdmarpc.service.codec.SerializationSettings;
import io.rdmarpc.service.codec.ServiceSerializer;
import io.rdmarpc.service.codec.type.ContractTypes;
import io.rdmarpc.service.codec.type.TypeShapes;
import io.rdmarpc.service.contract.ServiceDescription;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A message format of Jackson 3: a JSON array of the values. Messages are readable, but larger and slower than
 * Kryo's. The application's {@link JsonMapper} defines how classes are written. A declared type such as
 * {@code Object} or a sealed type does not determine the class. Such a value is an array of the class name and the
 * value. Only classes of the service's contract are accepted.
 */
public final class JsonRdmaSerializer implements RdmaSerializer {

    /** Maximum digits of a number. {@code MessageBudget} also limits its bits. */
    static final int MAX_NUMBER_LENGTH = 10_000;

    private final JsonMapper mapper;
    private final SerializationSettings settings;
    private final RegionReferences references;

    /**
     * Creates the format without memory regions.
     *
     * @param mapper the application's mapper, whose modules and settings are used
     * @param settings limits and evolution; the limit of elements applies to all values of a message
     */
    public JsonRdmaSerializer(JsonMapper mapper, SerializationSettings settings) {
        this(mapper, settings, RegionReferences.NONE);
    }

    /**
     * Creates the format with memory regions.
     *
     * @param mapper the application's mapper, whose modules and settings are used
     * @param settings limits and evolution
     * @param references conversion of regions to tokens
     */
    public JsonRdmaSerializer(JsonMapper mapper, SerializationSettings settings, RegionReferences references) {
        this.mapper = mapper;
        this.settings = settings;
        this.references = references;
    }

    @Override
    public ServiceSerializer forService(ServiceDescription service, List<MessageShape> shapes) {
        SortedSet<Class<?>> types = ContractTypes.of(service, Set.of(), List.of());
        JsonMapper forTypes = JsonMappers.forTypes(mapper, types, settings.evolution(), references);
        JsonFactory factory = limited(mapper.tokenStreamFactory());
        List<ServiceContract.Type> description = describe(types);
        return new ServiceSerializer() {
            @Override
            public List<ServiceContract.Type> types() {
                return description;
            }

            @Override
            public MessageCoder newCoder() {
                return new JsonCoder(factory, forTypes, shapes, settings);
            }
        };
    }

    private JsonFactory limited(JsonFactory factory) {
        return factory.rebuild()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(settings.maxDepth())
                        .maxStringLength(settings.maxBytes())
                        .maxNumberLength(MAX_NUMBER_LENGTH)
                        .maxTokenCount(2L * settings.maxElements())
                        .build())
                .streamWriteConstraints(StreamWriteConstraints.builder()
                        .maxNestingDepth(settings.maxDepth())
                        .build())
                // Escaping preserves text with unpaired surrogates.
                .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                .build();
    }

    private List<ServiceContract.Type> describe(SortedSet<Class<?>> types) {
        List<ServiceContract.Type> result = new ArrayList<>();
        result.add(new ServiceContract.Type("(serializer)", "JSON" + (settings.evolving() ? ", evolving" : "")));
        types.forEach(
                type -> result.add(new ServiceContract.Type(type.getName(), TypeShapes.of(type, settings.evolving()))));
        return result;
    }
}
