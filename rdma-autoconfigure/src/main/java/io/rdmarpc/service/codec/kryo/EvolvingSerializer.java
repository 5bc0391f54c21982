package io.rdmarpc.service.codec.kryo;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.rdmarpc.service.codec.kryo.value.KryoInput;
import io.rdmarpc.service.codec.kryo.value.KryoOutput;
import io.rdmarpc.service.codec.kryo.value.LinkedSerializer;
import io.rdmarpc.service.codec.kryo.value.ServiceKryo;
import io.rdmarpc.service.codec.record.MemberwiseSerializer;
import io.rdmarpc.service.codec.record.ValueSlot;
import io.rdmarpc.service.codec.type.MemberTag;
import io.rdmarpc.service.codec.type.Members;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Serializes a record or a class so that the other side may have more or fewer members.
 *
 * <pre>
 *   count, variable length          number of members that follow, without null ones
 *   of each member
 *     tag, variable length          hash of its name (19 bits) &lt;&lt; 2 | how to skip it
 *     value                         0: variable length   1: 4 bytes   2: 8 bytes
 *                                   3: length (4 bytes), then as many bytes
 * </pre>
 *
 * <p>A member that was not sent is null, 0 or false. An unknown member is skipped.
 */
final class EvolvingSerializer extends MemberwiseSerializer implements LinkedSerializer {

    private final MemberTag[] tags;
    private final ValueSlot[] slots;
    private final @Nullable Object[] absent;
    private final MemberAccess access;

    EvolvingSerializer(Members members) {
        super(members, members.type().isRecord());
        this.access = MemberAccess.of(members);
        this.tags = MemberTag.of(members);
        this.slots = new ValueSlot[tags.length];
        this.absent = new @Nullable Object[tags.length];
        for (int i = 0; i < tags.length; i++) {
            absent[i] = MemberTag.absent(members.type(i));
        }
    }

    @Override
    public void link(ServiceKryo kryo) {
        for (int i = 0; i < slots.length; i++) {
            slots[i] = ValueSlot.of(kryo, members(), i);
        }
    }

    @Override
    public void write(Kryo kryo, Output output, Object value) {
        @Nullable Object[] values = new @Nullable Object[tags.length];
        int count = 0;
        for (int i = 0; i < tags.length; i++) {
            values[i] = access.get(i, value);
            count += values[i] == null ? 0 : 1;
        }
        output.writeVarInt(count, true);
        for (int i = 0; i < tags.length; i++) {
            if (values[i] != null) {
                writeMember((ServiceKryo) kryo, (KryoOutput) output, i, values[i]);
            }
        }
    }

    private void writeMember(ServiceKryo kryo, KryoOutput output, int member, @Nullable Object value) {
        try {
            output.writeVarInt(tags[member].number(), true);
            if (tags[member].skip() == MemberTag.SIZED) {
                int offset = output.reserveInt();
                slots[member].write(kryo, output, value);
                output.fillInt(offset, output.written() - offset - Integer.BYTES);
            } else {
                slots[member].write(kryo, output, value);
            }
        } catch (RuntimeException e) {
            throw traced(e, member);
        }
    }

    @Override
    public Object read(Kryo kryo, Input input, Class<? extends Object> type) {
        @Nullable Object[] values = Arrays.copyOf(absent, absent.length);
        int count = input.readVarInt(true);
        int expected = 0;
        for (int i = 0; i < count; i++) {
            int tag = input.readVarInt(true);
            int member = MemberTag.find(tags, tag, expected);
            if (member < 0) {
                skip((KryoInput) input, tag);
            } else {
                values[member] = readMember((ServiceKryo) kryo, (KryoInput) input, member);
                expected = member + 1;
            }
        }
        return made(kryo, values);
    }

    private @Nullable Object readMember(ServiceKryo kryo, KryoInput input, int member) {
        try {
            if (tags[member].skip() != MemberTag.SIZED) {
                return slots[member].read(kryo, input);
            }
            int end = end(input);
            Object value = slots[member].read(kryo, input);
            if (input.consumed() != end) {
                throw new KryoException("the length of the member differs from its length field in the message");
            }
            return value;
        } catch (RuntimeException e) {
            throw traced(e, member);
        }
    }

    private static int end(KryoInput input) {
        int length = input.checked(input.readBigEndianInt(), 1);
        return input.consumed() + length;
    }

    private static void skip(KryoInput input, int tag) {
        switch (tag & MemberTag.SKIP_MASK) {
            case MemberTag.VARIABLE -> input.readVarLong(true);
            case MemberTag.FOUR -> input.skip(input.checked(4, 1));
            case MemberTag.EIGHT -> input.skip(input.checked(8, 1));
            default -> input.skip(input.checked(input.readBigEndianInt(), 1));
        }
    }

    private Object made(Kryo kryo, @Nullable Object[] values) {
        try {
            return access.make(kryo, values);
        } catch (RuntimeException e) {
            throw traced(e, tags.length);
        }
    }
}
