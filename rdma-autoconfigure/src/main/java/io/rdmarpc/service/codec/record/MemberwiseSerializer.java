package io.rdmarpc.service.codec.record;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Serializer;
import io.rdmarpc.service.codec.type.Members;

/** Writes a value as its members: the components of a record, or the fields of a class. */
public abstract class MemberwiseSerializer extends Serializer<Object> {

    private final Members members;

    public MemberwiseSerializer(Members members, boolean immutable) {
        super(false, immutable);
        this.members = members;
    }

    protected final Members members() {
        return members;
    }

    /**
     * Says where in a value something failed; Kryo collects these words from the inside out.
     *
     * @param e the failure
     * @param member the member's index, or their number for the constructor
     * @return what to throw
     */
    protected final KryoException traced(Throwable e, int member) {
        KryoException failure = e instanceof KryoException known ? known : new KryoException(e);
        String type = members.type().getName();
        failure.addTrace(
                member < members.count() ? members.name(member) + " (" + type + ")" : "the constructor of " + type);
        return failure;
    }
}
