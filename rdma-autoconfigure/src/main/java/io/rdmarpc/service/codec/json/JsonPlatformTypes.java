package io.rdmarpc.service.codec.json;

import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.service.codec.RegionReferences;
import io.rdmarpc.service.codec.RegionScope;
import io.rdmarpc.service.codec.type.LocaleText;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.deser.std.StdScalarDeserializer;
import tools.jackson.databind.ser.std.StdScalarSerializer;

/** Serializers of types that Jackson does not support as needed here, as text or bytes. */
final class JsonPlatformTypes {

    private JsonPlatformTypes() {}

    static final class LocaleWriter extends StdScalarSerializer<Locale> {

        LocaleWriter() {
            super(Locale.class);
        }

        @Override
        public void serialize(Locale locale, JsonGenerator generator, SerializationContext context) {
            generator.writeString(LocaleText.of(locale));
        }
    }

    static final class LocaleReader extends StdScalarDeserializer<Locale> {

        LocaleReader() {
            super(Locale.class);
        }

        @Override
        public Locale deserialize(JsonParser parser, DeserializationContext context) {
            return LocaleText.parse(parser.getString());
        }
    }

    static final class LocaleKeyWriter extends StdScalarSerializer<Locale> {

        LocaleKeyWriter() {
            super(Locale.class);
        }

        @Override
        public void serialize(Locale locale, JsonGenerator generator, SerializationContext context) {
            generator.writeName(LocaleText.of(locale));
        }
    }

    static final class LocaleKeyReader extends KeyDeserializer {

        @Override
        public Object deserializeKey(String key, DeserializationContext context) {
            return LocaleText.parse(key);
        }
    }

    static final class BitSetWriter extends StdScalarSerializer<BitSet> {

        BitSetWriter() {
            super(BitSet.class);
        }

        @Override
        public void serialize(BitSet bits, JsonGenerator generator, SerializationContext context) {
            generator.writeBinary(bits.toByteArray());
        }
    }

    static final class BitSetReader extends StdScalarDeserializer<BitSet> {

        BitSetReader() {
            super(BitSet.class);
        }

        @Override
        public BitSet deserialize(JsonParser parser, DeserializationContext context) {
            return BitSet.valueOf(parser.getBinaryValue());
        }
    }

    static final class SegmentWriter extends StdScalarSerializer<MemorySegment> {

        SegmentWriter() {
            super(MemorySegment.class);
        }

        @Override
        public void serialize(MemorySegment segment, JsonGenerator generator, SerializationContext context) {
            generator.writeBinary(segment.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    static final class TokenWriter extends StdScalarSerializer<RegionToken> {

        TokenWriter() {
            super(RegionToken.class);
        }

        @Override
        public void serialize(RegionToken token, JsonGenerator generator, SerializationContext context) {
            generator.writeBinary(token.encode());
        }
    }

    static final class TokenReader extends StdScalarDeserializer<RegionToken> {

        TokenReader() {
            super(RegionToken.class);
        }

        @Override
        public RegionToken deserialize(JsonParser parser, DeserializationContext context) {
            return RegionToken.decode(parser.getBinaryValue());
        }
    }

    static final class RegionWriter extends StdScalarSerializer<RemoteRegion> {

        private final RegionReferences references;

        RegionWriter(RegionReferences references) {
            super(RemoteRegion.class);
            this.references = references;
        }

        @Override
        public void serialize(RemoteRegion region, JsonGenerator generator, SerializationContext context) {
            generator.writeBinary(
                    references.tokenOf(region, RegionScope.session()).encode());
        }
    }

    static final class RegionReader extends StdScalarDeserializer<RemoteRegion> {

        private final RegionReferences references;

        RegionReader(RegionReferences references) {
            super(RemoteRegion.class);
            this.references = references;
        }

        @Override
        public RemoteRegion deserialize(JsonParser parser, DeserializationContext context) {
            return references.regionOf(RegionToken.decode(parser.getBinaryValue()), RegionScope.session());
        }
    }

    static final class SegmentReader extends StdScalarDeserializer<MemorySegment> {

        SegmentReader() {
            super(MemorySegment.class);
        }

        @Override
        public MemorySegment deserialize(JsonParser parser, DeserializationContext context) {
            return MemorySegment.ofArray(parser.getBinaryValue());
        }
    }
}
