package io.rdmarpc.service.codec.record;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Serializer;
import io.rdmarpc.service.codec.type.Members;

/** Serializes a value as its members: the components of a record, or the fields of a class. */
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
     * Adds the member to an exception. Kryo collects the path of a failure from the innermost value outward.
     *
     * @param e the failure
     * @param member index of the member, or the number of members for the constructor
     * @return the exception to throw
     */
    protected final KryoException traced(Throwable e, int member) {
        KryoException failure = e instanceof KryoException known ? known : new KryoException(e);
        String type = members.type().getName();
        failure.addTrace(
                member < members.count() ? members.name(member) + " (" + type + ")" : "the constructor of " + type);
        return failure;
    }
}
