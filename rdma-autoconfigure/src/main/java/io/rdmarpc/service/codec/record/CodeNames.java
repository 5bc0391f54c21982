package io.rdmarpc.service.codec.record;

import static java.lang.constant.ConstantDescs.CD_Class;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers;
import io.rdmarpc.service.codec.kryo.value.InlineTypeCache;
import io.rdmarpc.service.codec.kryo.value.KryoInput;
import io.rdmarpc.service.codec.kryo.value.KryoOutput;
import io.rdmarpc.service.codec.kryo.value.ServiceKryo;
import io.rdmarpc.service.codec.limit.ContainerCost;
import io.rdmarpc.service.codec.limit.HashCollisions;
import io.rdmarpc.service.codec.type.Members;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/** Descriptors of the classes and methods that generated code calls. */
final class CodeNames {

    static final ClassDesc BASE = of(CompiledRecordSerializer.class);
    static final ClassDesc MEMBERS = of(Members.class);
    static final ClassDesc OWN_KRYO = of(ServiceKryo.class);
    static final ClassDesc OWN_OUTPUT = of(KryoOutput.class);
    static final ClassDesc OWN_INPUT = of(KryoInput.class);
    static final ClassDesc INLINE_CACHE = of(InlineTypeCache.class);
    static final ClassDesc ELEMENTS = of(BoundedSerializers.Elements.class);
    static final ClassDesc ENTRIES = of(BoundedSerializers.Entries.class);
    static final ClassDesc CONTAINER_COST = of(ContainerCost.class);
    static final ClassDesc COLLISIONS = of(HashCollisions.class);
    static final ClassDesc KRYO = of(Kryo.class);
    static final ClassDesc OUTPUT = of(Output.class);
    static final ClassDesc INPUT = of(Input.class);
    static final ClassDesc SERIALIZER = of(Serializer.class);
    static final ClassDesc COLLECTION = of(Collection.class);
    static final ClassDesc MAP = of(Map.class);
    static final ClassDesc ENTRY = of(Map.Entry.class);
    static final ClassDesc SET = of(Set.class);
    static final ClassDesc ITERATOR = of(Iterator.class);
    static final ClassDesc FAILURE = of(RuntimeException.class);
    static final ClassDesc TRACED = of(KryoException.class);

    static final MethodTypeDesc TO_VOID = MethodTypeDesc.of(CD_void);
    static final MethodTypeDesc TO_INT = MethodTypeDesc.of(CD_int);
    static final MethodTypeDesc TO_BOOLEAN = MethodTypeDesc.of(CD_boolean);
    static final MethodTypeDesc TO_OBJECT = MethodTypeDesc.of(CD_Object);
    static final MethodTypeDesc INT_TO_VOID = MethodTypeDesc.of(CD_void, CD_int);
    static final MethodTypeDesc WRITE = MethodTypeDesc.of(CD_void, KRYO, OUTPUT, CD_Object);
    static final MethodTypeDesc READ = MethodTypeDesc.of(CD_Object, KRYO, INPUT, CD_Class);

    private CodeNames() {}

    static ClassDesc of(Class<?> type) {
        return type.describeConstable().orElseThrow();
    }
}
