package io.rdmarpc.service.codec.record;

import static io.rdmarpc.service.codec.record.CodeNames.COLLISIONS;
import static io.rdmarpc.service.codec.record.CodeNames.CONTAINER_COST;
import static io.rdmarpc.service.codec.record.CodeNames.INLINE_CACHE;
import static io.rdmarpc.service.codec.record.CodeNames.INPUT;
import static io.rdmarpc.service.codec.record.CodeNames.OWN_INPUT;
import static io.rdmarpc.service.codec.record.CodeNames.OWN_KRYO;
import static io.rdmarpc.service.codec.record.CodeNames.SERIALIZER;
import static java.lang.constant.ConstantDescs.CD_Class;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;

import io.rdmarpc.service.codec.limit.HeapEstimate;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/** Generates the code that reads the values of slots and pushes them. */
final class SlotReader extends SlotCode {

    private static final MethodTypeDesc ADMIT =
            MethodTypeDesc.of(COLLISIONS, CONTAINER_COST, COLLISIONS, CD_Object, CD_int, CD_int);

    private static final MethodTypeDesc READ_CONTAINER = MethodTypeDesc.of(CD_Object, OWN_KRYO, OWN_INPUT);

    private final int number;

    SlotReader(ClassDesc owner, CodeBuilder code, int kryo, int channel) {
        super(owner, code, kryo, channel);
        this.number = code.allocateLocal(TypeKind.INT);
    }

    private static String methodOf(TypedSlot slot) {
        return "read" + slot.number();
    }

    static void addContainer(ClassDesc owner, ClassBuilder type, TypedSlot slot) {
        type.withMethodBody(methodOf(slot), READ_CONTAINER, ClassFile.ACC_PRIVATE, body -> {
            new SlotReader(owner, body, 1, 2).readPolymorphic(slot);
            body.areturn();
        });
    }

    void read(TypedSlot slot) {
        if (slot.kind() == SlotKind.FINAL) {
            readFinal(slot);
        } else if (slot.isContainer()) {
            code.aload(0).aload(kryo).aload(channel);
            code.invokevirtual(owner, methodOf(slot), READ_CONTAINER);
        } else {
            readPolymorphic(slot);
        }
    }

    /** Charges the estimated size of a value of exactly the declared class. */
    private void charge(TypedSlot slot) {
        int bytes = HeapEstimate.of(slot.type());
        if (bytes > 0) {
            code.aload(channel).loadConstant(bytes);
            code.invokevirtual(OWN_INPUT, "charge", CodeNames.INT_TO_VOID);
        }
    }

    /** Calls the serializer for the declared class. */
    private void callRead(TypedSlot slot) {
        code.aload(serializer).aload(kryo).aload(channel);
        loadType(slot);
        code.invokevirtual(SERIALIZER, "read", CodeNames.READ);
    }

    private void readFinal(TypedSlot slot) {
        Label isNull = code.newLabel();
        Label done = code.newLabel();
        takeSerializer(slot);
        code.aload(channel).aload(serializer);
        code.invokestatic(OWN_KRYO, "begin", MethodTypeDesc.of(CD_boolean, INPUT, SERIALIZER));
        code.ifeq(isNull);
        charge(slot);
        enter(slot);
        callRead(slot);
        leave(slot);
        code.goto_(done);
        code.labelBinding(isNull).aconst_null();
        code.labelBinding(done);
    }

    private void readPolymorphic(TypedSlot slot) {
        Label isNull = code.newLabel();
        Label done = code.newLabel();
        code.aload(channel).iconst_1();
        code.invokevirtual(OWN_INPUT, "readVarInt", MethodTypeDesc.of(CD_int, CD_boolean))
                .istore(number);
        if (slot.isExact()) {
            readExact(slot, done);
        }
        loadCache(slot).aload(kryo).iload(number);
        code.invokevirtual(INLINE_CACHE, "begin", MethodTypeDesc.of(SERIALIZER, OWN_KRYO, CD_int));
        code.astore(serializer);
        code.aload(serializer).ifnull(isNull);
        enter(slot);
        if (slot.isContainer()) {
            readContainer(slot);
        } else {
            callReadOther(slot);
        }
        leave(slot);
        code.goto_(done);
        code.labelBinding(isNull).aconst_null();
        code.labelBinding(done);
    }

    /**
     * Generates the path for a value of exactly the declared class, which pushes it and jumps to done. Other classes
     * fall through.
     */
    private void readExact(TypedSlot slot, Label done) {
        Label other = code.newLabel();
        code.iload(number);
        loadNumber(slot);
        code.if_icmpne(other);
        takeSerializer(slot);
        charge(slot);
        enter(slot);
        callRead(slot);
        leave(slot);
        code.goto_(done);
        code.labelBinding(other);
    }

    private void callReadOther(TypedSlot slot) {
        code.aload(channel);
        loadCache(slot).invokevirtual(INLINE_CACHE, "readBytes", CodeNames.TO_INT);
        code.invokevirtual(OWN_INPUT, "charge", CodeNames.INT_TO_VOID);
        code.aload(serializer).aload(kryo).aload(channel);
        loadCache(slot).invokevirtual(INLINE_CACHE, "readType", MethodTypeDesc.of(CD_Class));
        code.invokevirtual(SERIALIZER, "read", CodeNames.READ);
    }

    /** Generates a loop for the usual case of a container that was written as its elements. */
    private void readContainer(TypedSlot slot) {
        Label other = code.newLabel();
        Label done = code.newLabel();
        code.aload(serializer).instanceOf(serializerOfContainer(slot)).ifeq(other);
        Entries entries = begin(slot);
        int left = code.allocateLocal(TypeKind.INT);
        code.iload(entries.size).istore(left);
        Label next = code.newLabel();
        Label end = code.newLabel();
        code.labelBinding(next);
        code.iload(left).ifle(end);
        code.iinc(left, -1);
        readInto(slot, entries);
        code.goto_(next);
        code.labelBinding(end);
        leaveElements();
        code.aload(entries.made);
        code.goto_(done);
        code.labelBinding(other);
        callReadOther(slot);
        code.labelBinding(done);
    }

    /** Local variables of a container that is being read. */
    private static final class Entries {

        final int size;
        final int made;
        final int cost;
        final int seen;
        final int start;
        final int key;

        Entries(CodeBuilder code) {
            this.size = code.allocateLocal(TypeKind.INT);
            this.made = code.allocateLocal(TypeKind.REFERENCE);
            this.cost = code.allocateLocal(TypeKind.REFERENCE);
            this.seen = code.allocateLocal(TypeKind.REFERENCE);
            this.start = code.allocateLocal(TypeKind.INT);
            this.key = code.allocateLocal(TypeKind.REFERENCE);
        }
    }

    /** Reads the size, creates the container and enters the elements. */
    private Entries begin(TypedSlot slot) {
        Entries entries = new Entries(code);
        ClassDesc own = serializerOfContainer(slot);
        code.aload(channel)
                .invokevirtual(OWN_INPUT, "readSize", CodeNames.TO_INT)
                .istore(entries.size);
        code.aload(serializer).checkcast(own).iload(entries.size);
        code.invokevirtual(own, "make", MethodTypeDesc.of(container(slot), CD_int));
        code.astore(entries.made);
        code.aload(serializer).checkcast(own).aload(channel).aload(entries.made);
        code.invokevirtual(own, "charge", MethodTypeDesc.of(CONTAINER_COST, OWN_INPUT, container(slot)));
        code.astore(entries.cost);
        code.aconst_null().astore(entries.seen);
        code.aload(kryo).iload(entries.size);
        onKryo("enterElements", CodeNames.INT_TO_VOID);
        return entries;
    }

    private void readInto(TypedSlot slot, Entries entries) {
        code.aload(channel)
                .invokevirtual(OWN_INPUT, "consumed", CodeNames.TO_INT)
                .istore(entries.start);
        readInner(slot.inner().getFirst());
        code.astore(entries.key);
        code.aload(channel).aload(entries.cost).aload(entries.seen).aload(entries.key);
        code.iload(entries.size).iload(entries.start);
        code.invokevirtual(OWN_INPUT, "admit", ADMIT).astore(entries.seen);
        code.aload(entries.made).aload(entries.key);
        if (slot.isMap()) {
            readInner(slot.inner().getLast());
        }
        if (slot.isMap()) {
            code.invokeinterface(CodeNames.MAP, "put", MethodTypeDesc.of(CD_Object, CD_Object, CD_Object));
        } else {
            code.invokeinterface(CodeNames.COLLECTION, "add", MethodTypeDesc.of(CD_boolean, CD_Object));
        }
        code.pop();
    }

    private void readInner(TypedSlot inner) {
        new SlotReader(owner, code, kryo, channel).read(inner);
    }
}
