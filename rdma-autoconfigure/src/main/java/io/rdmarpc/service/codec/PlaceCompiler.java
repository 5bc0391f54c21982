package io.rdmarpc.service.codec;

import static io.rdmarpc.service.codec.CodeNames.COLLECTION;
import static io.rdmarpc.service.codec.CodeNames.INT_TO_VOID;
import static io.rdmarpc.service.codec.CodeNames.LAST_CLASS;
import static io.rdmarpc.service.codec.CodeNames.OWN_INPUT;
import static io.rdmarpc.service.codec.CodeNames.OWN_KRYO;
import static io.rdmarpc.service.codec.CodeNames.OWN_OUTPUT;
import static io.rdmarpc.service.codec.CodeNames.SERIALIZER;
import static io.rdmarpc.service.codec.CodeNames.TO_BOOLEAN;
import static io.rdmarpc.service.codec.CodeNames.TO_INT;
import static io.rdmarpc.service.codec.CodeNames.TO_OBJECT;
import static io.rdmarpc.service.codec.CodeNames.TO_VOID;
import static java.lang.constant.ConstantDescs.CD_Class;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/**
 * Generates the code of one place: what it calls is called from nowhere else, so that the JIT compiler sees which serializers,
 * collections and iterators are met there, and puts their code in line.
 */
final class PlaceCompiler {

    private final ClassDesc owner;
    private final CodeBuilder code;

    // Local variables.
    private final int kryo;
    private final int channel;
    private final int value;
    private final int serializer;

    PlaceCompiler(ClassDesc owner, CodeBuilder code, int kryo, int channel, int value) {
        this.owner = owner;
        this.code = code;
        this.kryo = kryo;
        this.channel = channel;
        this.value = value;
        this.serializer = code.allocateLocal(TypeKind.REFERENCE);
    }

    private CodeBuilder field(Place place, ClassDesc type) {
        return code.aload(0).getfield(owner, fieldOf(place), type);
    }

    void pushLastClass(Place place) {
        field(place, LAST_CLASS);
    }

    static String fieldOf(Place place) {
        return "at" + place.number();
    }

    static String writerOf(Place place) {
        return "write" + place.number();
    }

    static String readerOf(Place place) {
        return "read" + place.number();
    }

    private void onKryo(String method, MethodTypeDesc type) {
        code.invokevirtual(OWN_KRYO, method, type);
    }

    private void enter(Place place) {
        if (!place.element()) {
            code.aload(kryo);
            onKryo(place.leaf() ? "touch" : "enter", TO_VOID);
        }
    }

    private void leave(Place place) {
        if (!place.element() && !place.leaf()) {
            code.aload(kryo);
            onKryo("leave", TO_VOID);
        }
    }

    private void callWrite() {
        code.aload(serializer).aload(kryo).aload(channel).aload(value);
        code.invokevirtual(SERIALIZER, "write", CodeNames.WRITE);
    }

    /** Writes the variable's value, of exactly the place's type, or null. */
    void writeFinal(Place place) {
        Label isNull = code.newLabel();
        field(place, SERIALIZER).astore(serializer);
        code.aload(channel).aload(value).aload(serializer);
        code.invokestatic(OWN_KRYO, "begin", MethodTypeDesc.of(CD_boolean, CodeNames.OUTPUT, CD_Object, SERIALIZER));
        code.ifeq(isNull);
        enter(place);
        callWrite();
        leave(place);
        code.labelBinding(isNull);
    }

    /** Leaves a value of exactly the place's type, or null, on the stack. */
    void readFinal(Place place, Runnable type) {
        Label isNull = code.newLabel();
        Label done = code.newLabel();
        field(place, SERIALIZER).astore(serializer);
        code.aload(channel).aload(serializer);
        code.invokestatic(OWN_KRYO, "begin", MethodTypeDesc.of(CD_boolean, CodeNames.INPUT, SERIALIZER));
        code.ifeq(isNull);
        enter(place);
        code.aload(serializer).aload(kryo).aload(channel);
        type.run();
        code.invokevirtual(SERIALIZER, "read", CodeNames.READ);
        leave(place);
        code.goto_(done);
        code.labelBinding(isNull).aconst_null();
        code.labelBinding(done);
    }

    /** Writes the variable's value, of any class. */
    void writeOpen(Place place) {
        Label isNull = code.newLabel();
        Label done = code.newLabel();
        code.aload(value).ifnull(isNull);
        field(place, LAST_CLASS).aload(kryo).aload(channel).aload(value);
        code.invokevirtual(LAST_CLASS, "begin", MethodTypeDesc.of(SERIALIZER, OWN_KRYO, OWN_OUTPUT, CD_Object));
        code.astore(serializer);
        enter(place);
        if (place.inner().isEmpty()) {
            callWrite();
        } else {
            writeContainer(place);
        }
        leave(place);
        code.goto_(done);
        code.labelBinding(isNull);
        code.aload(channel).iconst_0().invokevirtual(OWN_OUTPUT, "writeByte", INT_TO_VOID);
        code.labelBinding(done);
    }

    private void writeContainer(Place place) {
        Label other = code.newLabel();
        Label done = code.newLabel();
        ClassDesc own = place.isMap() ? CodeNames.ENTRIES : CodeNames.ELEMENTS;
        code.aload(serializer).instanceOf(own).ifeq(other);
        if (place.isMap()) {
            writeEntries(place);
        } else {
            writeElements(place);
        }
        code.goto_(done);
        code.labelBinding(other);
        callWrite();
        code.labelBinding(done);
    }

    private void writeElements(Place place) {
        ClassDesc elements = CodeNames.ELEMENTS;
        int iterator = beginContainer(elements, COLLECTION);
        code.aload(value).checkcast(COLLECTION);
        code.invokeinterface(COLLECTION, "iterator", MethodTypeDesc.of(CodeNames.ITERATOR));
        eachOf(iterator, () -> writeInner(place.inner().getFirst(), next(iterator)));
    }

    private void writeEntries(Place place) {
        int iterator = beginContainer(CodeNames.ENTRIES, CodeNames.MAP);
        code.aload(value).checkcast(CodeNames.MAP);
        code.invokeinterface(CodeNames.MAP, "entrySet", MethodTypeDesc.of(CodeNames.SET));
        code.invokeinterface(CodeNames.SET, "iterator", MethodTypeDesc.of(CodeNames.ITERATOR));
        eachOf(iterator, () -> {
            int entry = next(iterator);
            writeInner(place.inner().get(0), ofEntry(entry, "getKey"));
            writeInner(place.inner().get(1), ofEntry(entry, "getValue"));
        });
    }

    /** Writes the size and enters the elements, if any; gives a variable for the iterator. */
    private int beginContainer(ClassDesc own, ClassDesc type) {
        code.aload(kryo);
        code.aload(serializer).checkcast(own).aload(channel).aload(value).checkcast(type);
        code.invokevirtual(own, "begin", MethodTypeDesc.of(CD_int, CodeNames.OUTPUT, type));
        onKryo("enterElements", INT_TO_VOID);
        return code.allocateLocal(TypeKind.REFERENCE);
    }

    private void eachOf(int iterator, Runnable body) {
        Label next = code.newLabel();
        Label end = code.newLabel();
        code.astore(iterator);
        code.labelBinding(next);
        code.aload(iterator)
                .invokeinterface(CodeNames.ITERATOR, "hasNext", TO_BOOLEAN)
                .ifeq(end);
        body.run();
        code.goto_(next);
        code.labelBinding(end);
        code.aload(kryo);
        onKryo("leaveElements", TO_VOID);
    }

    private int next(int iterator) {
        int element = code.allocateLocal(TypeKind.REFERENCE);
        code.aload(iterator)
                .invokeinterface(CodeNames.ITERATOR, "next", TO_OBJECT)
                .astore(element);
        return element;
    }

    private int ofEntry(int entry, String method) {
        int part = code.allocateLocal(TypeKind.REFERENCE);
        code.aload(entry).checkcast(CodeNames.ENTRY);
        code.invokeinterface(CodeNames.ENTRY, method, TO_OBJECT).astore(part);
        return part;
    }

    private void writeInner(Place inner, int element) {
        code.aload(0).aload(kryo).aload(channel).aload(element);
        code.invokevirtual(owner, writerOf(inner), CodeNames.WRITE_PLACE);
    }

    /** Leaves a value of any class on the stack. */
    void readOpen(Place place) {
        Label isNull = code.newLabel();
        Label done = code.newLabel();
        field(place, LAST_CLASS).aload(kryo).aload(channel);
        code.invokevirtual(LAST_CLASS, "begin", MethodTypeDesc.of(SERIALIZER, OWN_KRYO, OWN_INPUT));
        code.astore(serializer);
        code.aload(serializer).ifnull(isNull);
        enter(place);
        if (place.inner().isEmpty()) {
            callRead(place);
        } else {
            readContainer(place);
        }
        leave(place);
        code.goto_(done);
        code.labelBinding(isNull).aconst_null();
        code.labelBinding(done);
    }

    private void callRead(Place place) {
        code.aload(serializer).aload(kryo).aload(channel);
        field(place, LAST_CLASS).invokevirtual(LAST_CLASS, "readType", MethodTypeDesc.of(CD_Class));
        code.invokevirtual(SERIALIZER, "read", CodeNames.READ);
    }

    private void readContainer(Place place) {
        Label other = code.newLabel();
        Label done = code.newLabel();
        ClassDesc own = place.isMap() ? CodeNames.ENTRIES : CodeNames.ELEMENTS;
        ClassDesc type = place.isMap() ? CodeNames.MAP : COLLECTION;
        code.aload(serializer).instanceOf(own).ifeq(other);
        readParts(place, own, type);
        code.goto_(done);
        code.labelBinding(other);
        callRead(place);
        code.astore(value);
        code.labelBinding(done);
        code.aload(value);
    }

    private void readParts(Place place, ClassDesc own, ClassDesc type) {
        int left = code.allocateLocal(TypeKind.INT);
        int made = code.allocateLocal(TypeKind.REFERENCE);
        Label next = code.newLabel();
        Label end = code.newLabel();
        code.aload(channel).invokevirtual(OWN_INPUT, "readSize", TO_INT).istore(left);
        code.aload(serializer).checkcast(own).iload(left);
        code.invokevirtual(own, "make", MethodTypeDesc.of(type, CD_int)).astore(made);
        code.aload(kryo).iload(left);
        onKryo("enterElements", INT_TO_VOID);
        code.labelBinding(next);
        code.iload(left).ifle(end);
        code.iinc(left, -1);
        code.aload(made);
        if (place.isMap()) {
            readInner(place.inner().get(0));
            readInner(place.inner().get(1));
            code.invokeinterface(type, "put", MethodTypeDesc.of(CD_Object, CD_Object, CD_Object))
                    .pop();
        } else {
            readInner(place.inner().getFirst());
            code.invokeinterface(type, "add", MethodTypeDesc.of(CD_boolean, CD_Object))
                    .pop();
        }
        code.goto_(next);
        code.labelBinding(end);
        code.aload(kryo);
        onKryo("leaveElements", TO_VOID);
        code.aload(made).astore(value);
    }

    private void readInner(Place inner) {
        code.aload(0).aload(kryo).aload(channel);
        code.invokevirtual(owner, readerOf(inner), CodeNames.READ_PLACE);
    }
}
