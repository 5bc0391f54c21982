package io.rdmarpc.service.codec.kryo.value;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;

/**
 * Serializes the local time, the offset and the zone. Kryo's own serializer omits the offset, and selects the earlier
 * one if a local time occurs twice.
 *
 * <p>If a reader's time zone rules do not permit the offset, the instant is kept with the offset of the reader's
 * rules.
 */
public final class ZonedDateTimeSerializer extends Serializer<ZonedDateTime> {

    ZonedDateTimeSerializer() {
        super(false, true);
    }

    @Override
    public void write(Kryo kryo, Output output, ZonedDateTime value) {
        output.writeVarLong(value.toLocalDateTime().toEpochSecond(ZoneOffset.UTC), false);
        output.writeVarInt(value.getNano(), true);
        output.writeVarInt(value.getOffset().getTotalSeconds(), false);
        output.writeString(value.getZone().getId());
    }

    @Override
    public ZonedDateTime read(Kryo kryo, Input input, Class<? extends ZonedDateTime> type) {
        long seconds = input.readVarLong(false);
        LocalDateTime local = LocalDateTime.ofEpochSecond(seconds, input.readVarInt(true), ZoneOffset.UTC);
        ZoneOffset offset = ZoneOffset.ofTotalSeconds(input.readVarInt(false));
        return ZonedDateTime.ofInstant(local, offset, ZoneId.of(input.readString()));
    }
}
