package io.rdmarpc.service.codec.json;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.service.codec.Evolution;
import io.rdmarpc.service.codec.RegionReferences;
import io.rdmarpc.service.codec.type.SqlTypes;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TransferQueue;
import tools.jackson.core.Version;
import tools.jackson.databind.DatabindContext;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.PolymorphicTypeValidator;
import tools.jackson.databind.jsontype.impl.DefaultTypeResolverBuilder;
import tools.jackson.databind.module.SimpleAbstractTypeResolver;
import tools.jackson.databind.module.SimpleModule;

/** Derives a mapper from the application's mapper that accepts only the classes of one service. */
final class JsonMappers {

    private JsonMappers() {}

    static JsonMapper forTypes(
            JsonMapper application, Collection<Class<?>> types, Evolution evolution, RegionReferences references) {
        OnlyKnown known = new OnlyKnown(new JsonTypeIds(types));
        return application
                .rebuild()
                // A value must arrive as it was sent, regardless of the application's settings for HTTP responses.
                .disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
                .disable(DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID)
                .disable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
                .disable(DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
                .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                // With evolution, a primitive component that was not sent is 0 or false.
                .configure(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES, evolution == Evolution.NONE)
                .configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, evolution == Evolution.NONE)
                .disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .disable(SerializationFeature.FLUSH_AFTER_WRITE_VALUE)
                .polymorphicTypeValidator(known)
                .setDefaultTyping(new NamedWhereOpen(known))
                .addModule(platformTypes(references))
                .build();
    }

    private static SimpleModule platformTypes(RegionReferences references) {
        SimpleAbstractTypeResolver implementations = new SimpleAbstractTypeResolver();
        // Jackson's default for keys of an enum type is an EnumMap, which changes the order of the keys.
        implementations.addMapping(Map.class, LinkedHashMap.class);
        implementations.addMapping(Set.class, LinkedHashSet.class);
        // A LinkedList accepts null, but an ArrayDeque does not.
        implementations.addMapping(Queue.class, LinkedList.class);
        implementations.addMapping(Deque.class, LinkedList.class);
        implementations.addMapping(BlockingQueue.class, LinkedBlockingQueue.class);
        implementations.addMapping(BlockingDeque.class, LinkedBlockingDeque.class);
        implementations.addMapping(TransferQueue.class, LinkedTransferQueue.class);
        implementations.addMapping(ConcurrentMap.class, ConcurrentHashMap.class);
        implementations.addMapping(ConcurrentNavigableMap.class, ConcurrentSkipListMap.class);
        SimpleModule module = new SimpleModule("rdma", Version.unknownVersion()) {
            @Override
            public void setupModule(SetupContext context) {
                super.setupModule(context);
                context.addValueInstantiators(new JsonBudgetInstantiators());
            }
        };
        module.setSerializerModifier(new JsonSortedContainers.Writers());
        module.setDeserializerModifier(new JsonSortedContainers.Readers());
        module.setAbstractTypes(implementations);
        module.addSerializer(Locale.class, new JsonPlatformTypes.LocaleWriter());
        module.addDeserializer(Locale.class, new JsonPlatformTypes.LocaleReader());
        module.addKeySerializer(Locale.class, new JsonPlatformTypes.LocaleKeyWriter());
        module.addKeyDeserializer(Locale.class, new JsonPlatformTypes.LocaleKeyReader());
        if (SqlTypes.arePresent()) {
            JsonSqlTypes.addTo(module);
        }
        module.addSerializer(BitSet.class, new JsonPlatformTypes.BitSetWriter());
        module.addDeserializer(BitSet.class, new JsonPlatformTypes.BitSetReader());
        module.addSerializer(MemorySegment.class, new JsonPlatformTypes.SegmentWriter());
        module.addDeserializer(MemorySegment.class, new JsonPlatformTypes.SegmentReader());
        module.addSerializer(RegionToken.class, new JsonPlatformTypes.TokenWriter());
        module.addDeserializer(RegionToken.class, new JsonPlatformTypes.TokenReader());
        module.addSerializer(RemoteRegion.class, new JsonPlatformTypes.RegionWriter(references));
        module.addDeserializer(RemoteRegion.class, new JsonPlatformTypes.RegionReader(references));
        return module;
    }

    /** Rejects classes outside the contract, whatever type information annotations request. */
    private static final class OnlyKnown extends PolymorphicTypeValidator.Base {

        private static final long serialVersionUID = 1L;

        private final transient JsonTypeIds ids;

        OnlyKnown(JsonTypeIds ids) {
            this.ids = ids;
        }

        @Override
        public Validity validateSubClassName(DatabindContext context, JavaType base, String name) {
            return ids.knows(name) ? Validity.ALLOWED : Validity.DENIED;
        }

        @Override
        public Validity validateSubType(DatabindContext context, JavaType base, JavaType type) {
            return ids.knows(type.getRawClass().getName()) ? Validity.ALLOWED : Validity.DENIED;
        }
    }

    /** Adds the class name to values whose declared type does not determine the class. */
    private static final class NamedWhereOpen extends DefaultTypeResolverBuilder {

        private static final long serialVersionUID = 1L;

        private final transient JsonTypeIds ids;

        NamedWhereOpen(OnlyKnown known) {
            super(known, DefaultTyping.NON_FINAL, JsonTypeInfo.As.WRAPPER_ARRAY);
            this.ids = known.ids;
            this._customIdResolver = ids;
        }

        @Override
        public DefaultTypeResolverBuilder withDefaultImpl(Class<?> implementation) {
            return this;
        }

        @Override
        public boolean useForType(JavaType type) {
            return ids.isOpen(type);
        }
    }
}
