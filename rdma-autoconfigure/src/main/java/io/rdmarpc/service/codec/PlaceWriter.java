package io.rdmarpc.service.codec;

import static io.rdmarpc.service.codec.CodeNames.ITERATOR;
import static io.rdmarpc.service.codec.CodeNames.OUTPUT;
import static io.rdmarpc.service.codec.CodeNames.OWN_KRYO;
import static io.rdmarpc.service.codec.CodeNames.OWN_OUTPUT;
import static io.rdmarpc.service.codec.CodeNames.SERIALIZER;
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

/** Generates the code that writes the values of places. */
final class PlaceWriter extends PlaceCode {

    private static final MethodTypeDesc WRITE_CONTAINER = MethodTypeDesc.of(CD_void, OWN_KRYO, OWN_OUTPUT, CD_Object);

    /** The variable that has what is written. */
    private final int value;

    PlaceWriter(ClassDesc owner, CodeBuilder code, int kryo, int channel, int value) {
        super(owner, code, kryo, channel);
        this.value = value;
    }

    private static String methodOf(Place place) {
        return "write" + place.number();
    }

    static void addContainer(ClassDesc owner, ClassBuilder type, Place place) {
        type.withMethodBody(methodOf(place), WRITE_CONTAINER, ClassFile.ACC_PRIVATE, body -> {
            new PlaceWriter(owner, body, 1, 2, 3).writeOpen(place);
            body.return_();
        });
    }

    /** Writes the variable's value, which is no primitive. */
    void write(Place place) {
        if (place.kind() == SlotKind.FINAL) {
            writeFinal(place);
        } else if (place.isContainer()) {
            code.aload(0).aload(kryo).aload(channel).aload(value);
            code.invokevirtual(owner, methodOf(place), WRITE_CONTAINER);
        } else {
            writeOpen(place);
        }
    }

    private void callWrite() {
        code.aload(serializer).aload(kryo).aload(channel).aload(value);
        code.invokevirtual(SERIALIZER, "write", CodeNames.WRITE);
    }

    private void writeFinal(Place place) {
        Label isNull = code.newLabel();
        takeSerializer(place);
        code.aload(channel).aload(value).aload(serializer);
        code.invokestatic(OWN_KRYO, "begin", MethodTypeDesc.of(CD_boolean, OUTPUT, CD_Object, SERIALIZER));
        code.ifeq(isNull);
        enter(place);
        callWrite();
        leave(place);
        code.labelBinding(isNull);
    }

    private void writeOpen(Place place) {
        Label isNull = code.newLabel();
        Label done = code.newLabel();
        code.aload(value).ifnull(isNull);
        writeClass(place);
        enter(place);
        if (place.isContainer()) {
            writeContainer(place);
        } else {
            callWrite();
        }
        leave(place);
        code.goto_(done);
        code.labelBinding(isNull);
        code.aload(channel).iconst_0().invokevirtual(OWN_OUTPUT, "writeByte", CodeNames.INT_TO_VOID);
        code.labelBinding(done);
    }

    /** Writes the number of the value's class, and takes what writes the value. */
    private void writeClass(Place place) {
        Label other = code.newLabel();
        Label done = code.newLabel();
        if (place.isExact()) {
            code.aload(value).invokevirtual(CD_Object, "getClass", MethodTypeDesc.of(CD_Class));
            loadType(place);
            code.if_acmpne(other);
            code.aload(channel);
            loadNumber(place);
            code.invokevirtual(OWN_OUTPUT, "writeClassNumber", CodeNames.INT_TO_VOID);
            takeSerializer(place);
            code.goto_(done);
        }
        code.labelBinding(other);
        loadLast(place).aload(kryo).aload(channel).aload(value);
        code.invokevirtual(
                CodeNames.LAST_CLASS, "begin", MethodTypeDesc.of(SERIALIZER, OWN_KRYO, OWN_OUTPUT, CD_Object));
        code.astore(serializer);
        code.labelBinding(done);
    }

    /** In a loop where it is written as elements, which most of the time it is. */
    private void writeContainer(Place place) {
        Label other = code.newLabel();
        Label done = code.newLabel();
        code.aload(serializer).instanceOf(serializerOfContainer(place)).ifeq(other);
        begin(place);
        if (place.isMap()) {
            code.invokeinterface(CodeNames.MAP, "entrySet", MethodTypeDesc.of(CodeNames.SET));
            code.invokeinterface(CodeNames.SET, "iterator", MethodTypeDesc.of(ITERATOR));
            forEach(entry -> {
                inner(place.inner().get(0), () -> code.aload(entry).checkcast(CodeNames.ENTRY), "getKey");
                inner(place.inner().get(1), () -> code.aload(entry).checkcast(CodeNames.ENTRY), "getValue");
            });
        } else {
            code.invokeinterface(CodeNames.COLLECTION, "iterator", MethodTypeDesc.of(ITERATOR));
            forEach(element -> new PlaceWriter(owner, code, kryo, channel, element)
                    .write(place.inner().getFirst()));
        }
        leaveElements();
        code.goto_(done);
        code.labelBinding(other);
        callWrite();
        code.labelBinding(done);
    }

    /** Writes the size, enters the elements, and leaves the container on the stack. */
    private void begin(Place place) {
        ClassDesc container = container(place);
        code.aload(kryo);
        code.aload(serializer).checkcast(serializerOfContainer(place));
        code.aload(channel).aload(value).checkcast(container);
        code.invokevirtual(serializerOfContainer(place), "begin", MethodTypeDesc.of(CD_int, OUTPUT, container));
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

    /** Writes one part of an entry. */
    private void inner(Place place, Runnable loadEntry, String method) {
        int part = code.allocateLocal(TypeKind.REFERENCE);
        loadEntry.run();
        code.invokeinterface(CodeNames.ENTRY, method, CodeNames.TO_OBJECT).astore(part);
        new PlaceWriter(owner, code, kryo, channel, part).write(place);
    }
}
