package io.rdmarpc.service.codec;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.rdmarpc.remote.RegionToken;
import io.rdmarpc.remote.RemoteRegion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
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

/** The application's mapper, made to carry the classes of one service and no others. */
final class JsonMappers {

    private JsonMappers() {}

    static JsonMapper forTypes(
            JsonMapper application, Collection<Class<?>> types, Evolution evolution, RegionReferences references) {
        OnlyKnown known = new OnlyKnown(new JsonTypeIds(types));
        return application
                .rebuild()
                // A value arrives as it was sent, whatever the application shows to browsers.
                .disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
                .disable(DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID)
                .disable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
                .disable(DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
                .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                // Where classes differ, a component that was not sent is 0 or false.
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
        implementations.addMapping(Set.class, LinkedHashSet.class);
        implementations.addMapping(Queue.class, ArrayDeque.class);
        SimpleModule module = new SimpleModule("rdma", Version.unknownVersion());
        module.setAbstractTypes(implementations);
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

    /** Whatever annotations ask for, classes that are not in the contract are not made. */
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

    /** Puts the class's name beside values whose declared type does not tell the class. */
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
