package io.rdmarpc.service.codec;

import static io.rdmarpc.service.codec.CodeNames.INPUT;
import static io.rdmarpc.service.codec.CodeNames.LAST_CLASS;
import static io.rdmarpc.service.codec.CodeNames.OWN_INPUT;
import static io.rdmarpc.service.codec.CodeNames.OWN_KRYO;
import static io.rdmarpc.service.codec.CodeNames.SERIALIZER;
import static java.lang.constant.ConstantDescs.CD_Class;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/** Generates the code that reads the values of places, and leaves them on the stack. */
final class PlaceReader extends PlaceCode {

    private static final MethodTypeDesc READ_CONTAINER = MethodTypeDesc.of(CD_Object, OWN_KRYO, OWN_INPUT);

    private final int number;

    PlaceReader(ClassDesc owner, CodeBuilder code, int kryo, int channel) {
        super(owner, code, kryo, channel);
        this.number = code.allocateLocal(TypeKind.INT);
    }

    private static String methodOf(Place place) {
        return "read" + place.number();
    }

    static void addContainer(ClassDesc owner, ClassBuilder type, Place place) {
        type.withMethodBody(methodOf(place), READ_CONTAINER, ClassFile.ACC_PRIVATE, body -> {
            new PlaceReader(owner, body, 1, 2).readOpen(place);
            body.areturn();
        });
    }

    void read(Place place) {
        if (place.kind() == SlotKind.FINAL) {
            readFinal(place);
        } else if (place.isContainer()) {
            code.aload(0).aload(kryo).aload(channel);
            code.invokevirtual(owner, methodOf(place), READ_CONTAINER);
        } else {
            readOpen(place);
        }
    }

    /** Reads by the serializer whatever is declared. */
    private void callRead(Place place) {
        code.aload(serializer).aload(kryo).aload(channel);
        loadType(place);
        code.invokevirtual(SERIALIZER, "read", CodeNames.READ);
    }

    private void readFinal(Place place) {
        Label isNull = code.newLabel();
        Label done = code.newLabel();
        takeSerializer(place);
        code.aload(channel).aload(serializer);
        code.invokestatic(OWN_KRYO, "begin", MethodTypeDesc.of(CD_boolean, INPUT, SERIALIZER));
        code.ifeq(isNull);
        enter(place);
        callRead(place);
        leave(place);
        code.goto_(done);
        code.labelBinding(isNull).aconst_null();
        code.labelBinding(done);
    }

    private void readOpen(Place place) {
        Label isNull = code.newLabel();
        Label done = code.newLabel();
        code.aload(channel).iconst_1();
        code.invokevirtual(OWN_INPUT, "readVarInt", MethodTypeDesc.of(CD_int, CD_boolean))
                .istore(number);
        if (place.isExact()) {
            readExact(place, done);
        }
        loadLast(place).aload(kryo).iload(number);
        code.invokevirtual(LAST_CLASS, "begin", MethodTypeDesc.of(SERIALIZER, OWN_KRYO, CD_int));
        code.astore(serializer);
        code.aload(serializer).ifnull(isNull);
        enter(place);
        if (place.isContainer()) {
            readContainer(place);
        } else {
            callReadOther(place);
        }
        leave(place);
        code.goto_(done);
        code.labelBinding(isNull).aconst_null();
        code.labelBinding(done);
    }

    /** Leaves a value of the declared class on the stack, or goes on where it is another one. */
    private void readExact(Place place, Label done) {
        Label other = code.newLabel();
        code.iload(number);
        loadNumber(place);
        code.if_icmpne(other);
        takeSerializer(place);
        enter(place);
        callRead(place);
        leave(place);
        code.goto_(done);
        code.labelBinding(other);
    }

    private void callReadOther(Place place) {
        code.aload(serializer).aload(kryo).aload(channel);
        loadLast(place).invokevirtual(LAST_CLASS, "readType", MethodTypeDesc.of(CD_Class));
        code.invokevirtual(SERIALIZER, "read", CodeNames.READ);
    }

    /** In a loop where it came as elements, which most of the time it did. */
    private void readContainer(Place place) {
        Label other = code.newLabel();
        Label done = code.newLabel();
        code.aload(serializer).instanceOf(serializerOfContainer(place)).ifeq(other);
        int left = code.allocateLocal(TypeKind.INT);
        int made = begin(place, left);
        Label next = code.newLabel();
        Label end = code.newLabel();
        code.labelBinding(next);
        code.iload(left).ifle(end);
        code.iinc(left, -1);
        readInto(place, made);
        code.goto_(next);
        code.labelBinding(end);
        leaveElements();
        code.aload(made);
        code.goto_(done);
        code.labelBinding(other);
        callReadOther(place);
        code.labelBinding(done);
    }

    /** Reads the size, makes the container and enters the elements; gives the container's variable. */
    private int begin(Place place, int left) {
        int made = code.allocateLocal(TypeKind.REFERENCE);
        code.aload(channel)
                .invokevirtual(OWN_INPUT, "readSize", CodeNames.TO_INT)
                .istore(left);
        code.aload(serializer).checkcast(serializerOfContainer(place)).iload(left);
        code.invokevirtual(serializerOfContainer(place), "make", MethodTypeDesc.of(container(place), CD_int));
        code.astore(made);
        code.aload(kryo).iload(left);
        onKryo("enterElements", CodeNames.INT_TO_VOID);
        return made;
    }

    private void readInto(Place place, int made) {
        code.aload(made);
        for (Place inner : place.inner()) {
            new PlaceReader(owner, code, kryo, channel).read(inner);
        }
        if (place.isMap()) {
            code.invokeinterface(CodeNames.MAP, "put", MethodTypeDesc.of(CD_Object, CD_Object, CD_Object));
        } else {
            code.invokeinterface(CodeNames.COLLECTION, "add", MethodTypeDesc.of(CD_boolean, CD_Object));
        }
        code.pop();
    }
}
