package io.rdmarpc.service.codec.record;

import static io.rdmarpc.service.codec.record.CodeNames.ITERATOR;
import static io.rdmarpc.service.codec.record.CodeNames.OUTPUT;
import static io.rdmarpc.service.codec.record.CodeNames.OWN_KRYO;
import static io.rdmarpc.service.codec.record.CodeNames.OWN_OUTPUT;
import static io.rdmarpc.service.codec.record.CodeNames.SERIALIZER;
import static java.lang.constant.ConstantDescs.CD_Class;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/** Generates the code that writes the values of slots. */
final class SlotWriter extends SlotCode {

    private static final MethodTypeDesc WRITE_CONTAINER = MethodTypeDesc.of(CD_void, OWN_KRYO, OWN_OUTPUT, CD_Object);

    /** The local variable of the value. */
    private final int value;

    SlotWriter(ClassDesc owner, CodeBuilder code, int kryo, int channel, int value) {
        super(owner, code, kryo, channel);
        this.value = value;
    }

    private static String methodOf(TypedSlot slot) {
        return "write" + slot.number();
    }

    static void addContainer(ClassDesc owner, ClassBuilder type, TypedSlot slot) {
        type.withMethodBody(methodOf(slot), WRITE_CONTAINER, ClassFile.ACC_PRIVATE, body -> {
            new SlotWriter(owner, body, 1, 2, 3).writePolymorphic(slot);
            body.return_();
        });
    }

    /** Writes the value of the local variable, which is not a primitive. */
    void write(TypedSlot slot) {
        if (slot.kind() == SlotKind.FINAL) {
            writeFinal(slot);
        } else if (slot.isContainer()) {
            code.aload(0).aload(kryo).aload(channel).aload(value);
            code.invokevirtual(owner, methodOf(slot), WRITE_CONTAINER);
        } else {
            writePolymorphic(slot);
        }
    }

    private void callWrite() {
        code.aload(serializer).aload(kryo).aload(channel).aload(value);
        code.invokevirtual(SERIALIZER, "write", CodeNames.WRITE);
    }

    private void writeFinal(TypedSlot slot) {
        Label isNull = code.newLabel();
        takeSerializer(slot);
        code.aload(channel).aload(value).aload(serializer);
        code.invokestatic(OWN_KRYO, "begin", MethodTypeDesc.of(CD_boolean, OUTPUT, CD_Object, SERIALIZER));
        code.ifeq(isNull);
        enter(slot);
        callWrite();
        leave(slot);
        code.labelBinding(isNull);
    }

    private void writePolymorphic(TypedSlot slot) {
        Label isNull = code.newLabel();
        Label done = code.newLabel();
        code.aload(value).ifnull(isNull);
        writeClass(slot);
        enter(slot);
        if (slot.isContainer()) {
            writeContainer(slot);
        } else {
            callWrite();
        }
        leave(slot);
        code.goto_(done);
        code.labelBinding(isNull);
        code.aload(channel).iconst_0().invokevirtual(OWN_OUTPUT, "writeByte", CodeNames.INT_TO_VOID);
        code.labelBinding(done);
    }

    /** Writes the number of the value's class and loads its serializer. */
    private void writeClass(TypedSlot slot) {
        Label other = code.newLabel();
        Label done = code.newLabel();
        if (slot.isExact()) {
            code.aload(value).invokevirtual(CD_Object, "getClass", MethodTypeDesc.of(CD_Class));
            loadType(slot);
            code.if_acmpne(other);
            code.aload(channel);
            loadNumber(slot);
            code.invokevirtual(OWN_OUTPUT, "writeClassNumber", CodeNames.INT_TO_VOID);
            takeSerializer(slot);
            code.goto_(done);
        }
        code.labelBinding(other);
        loadCache(slot).aload(kryo).aload(channel).aload(value);
        code.invokevirtual(
                CodeNames.INLINE_CACHE, "begin", MethodTypeDesc.of(SERIALIZER, OWN_KRYO, OWN_OUTPUT, CD_Object));
        code.astore(serializer);
        code.labelBinding(done);
    }

    /** Generates a loop for the usual case of a container that is written as its elements. */
    private void writeContainer(TypedSlot slot) {
        Label other = code.newLabel();
        Label done = code.newLabel();
        code.aload(serializer).instanceOf(serializerOfContainer(slot)).ifeq(other);
        begin(slot);
        if (slot.isMap()) {
            code.invokeinterface(CodeNames.MAP, "entrySet", MethodTypeDesc.of(CodeNames.SET));
            code.invokeinterface(CodeNames.SET, "iterator", MethodTypeDesc.of(ITERATOR));
            forEach(entry -> {
                inner(slot.inner().get(0), () -> code.aload(entry).checkcast(CodeNames.ENTRY), "getKey");
                inner(slot.inner().get(1), () -> code.aload(entry).checkcast(CodeNames.ENTRY), "getValue");
            });
        } else {
            code.invokeinterface(CodeNames.COLLECTION, "iterator", MethodTypeDesc.of(ITERATOR));
            forEach(element -> new SlotWriter(owner, code, kryo, channel, element)
                    .write(slot.inner().getFirst()));
        }
        leaveElements();
        code.goto_(done);
        code.labelBinding(other);
        callWrite();
        code.labelBinding(done);
    }

    /** Writes the size, enters the elements, and pushes the container. */
    private void begin(TypedSlot slot) {
        ClassDesc container = container(slot);
        code.aload(kryo);
        code.aload(serializer).checkcast(serializerOfContainer(slot));
        code.aload(channel).aload(value).checkcast(container);
        code.invokevirtual(serializerOfContainer(slot), "begin", MethodTypeDesc.of(CD_int, OUTPUT, container));
        onKryo("enterElements", CodeNames.INT_TO_VOID);
        code.aload(value).checkcast(container);
    }

    private interface Body {
        void of(int element);
    }

    private void forEach(Body body) {
        int iterator = code.allocateLocal(TypeKind.REFERENCE);
        int element = code.allocateLocal(TypeKind.REFERENCE);
        Label next = code.newLabel();
        Label end = code.newLabel();
        code.astore(iterator);
        code.labelBinding(next);
        code.aload(iterator)
                .invokeinterface(ITERATOR, "hasNext", CodeNames.TO_BOOLEAN)
                .ifeq(end);
        code.aload(iterator)
                .invokeinterface(ITERATOR, "next", CodeNames.TO_OBJECT)
                .astore(element);
        body.of(element);
        code.goto_(next);
        code.labelBinding(end);
    }

    /** Writes the key or the value of an entry. */
    private void inner(TypedSlot slot, Runnable loadEntry, String method) {
        int part = code.allocateLocal(TypeKind.REFERENCE);
        loadEntry.run();
        code.invokeinterface(CodeNames.ENTRY, method, CodeNames.TO_OBJECT).astore(part);
        new SlotWriter(owner, code, kryo, channel, part).write(slot);
    }
}
