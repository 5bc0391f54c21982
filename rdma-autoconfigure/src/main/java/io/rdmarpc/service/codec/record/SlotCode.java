package io.rdmarpc.service.codec.record;

import static java.lang.constant.ConstantDescs.CD_Class;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_int;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;

/**
 * Generates the code of slots. Each slot has its own call sites, so that the JIT compiler sees which serializers,
 * collections and iterators occur there, and inlines them. A container has its own method, which contains the code of
 * its elements.
 */
abstract class SlotCode {

    private static final DirectMethodHandleDesc CLASS_DATA_AT = ConstantDescs.ofConstantBootstrap(
            ClassDesc.of("java.lang.invoke.MethodHandles"), "classDataAt", CD_Object, CD_int);

    final ClassDesc owner;
    final CodeBuilder code;

    // Local variables.
    final int kryo;
    final int channel;
    final int serializer;

    SlotCode(ClassDesc owner, CodeBuilder code, int kryo, int channel) {
        this.owner = owner;
        this.code = code;
        this.kryo = kryo;
        this.channel = channel;
        this.serializer = code.allocateLocal(TypeKind.REFERENCE);
    }

    static String cacheOf(TypedSlot slot) {
        return "cache" + slot.number();
    }

    static String serializerOf(TypedSlot slot) {
        return "serializer" + slot.number();
    }

    static String numberOf(TypedSlot slot) {
        return "number" + slot.number();
    }

    static void loadConstant(CodeBuilder code, ClassDesc type, int index) {
        code.loadConstant(DynamicConstantDesc.ofNamed(CLASS_DATA_AT, ConstantDescs.DEFAULT_NAME, type, index));
    }

    /** The classes of all slots are the first constants. */
    final void loadType(TypedSlot slot) {
        loadConstant(code, CD_Class, slot.number());
    }

    final CodeBuilder loadCache(TypedSlot slot) {
        return code.aload(0).getfield(owner, cacheOf(slot), CodeNames.INLINE_CACHE);
    }

    final void takeSerializer(TypedSlot slot) {
        code.aload(0).getfield(owner, serializerOf(slot), CodeNames.SERIALIZER).astore(serializer);
    }

    final void loadNumber(TypedSlot slot) {
        code.aload(0).getfield(owner, numberOf(slot), CD_int);
    }

    final void onKryo(String method, MethodTypeDesc type) {
        code.invokevirtual(CodeNames.OWN_KRYO, method, type);
    }

    final void enter(TypedSlot slot) {
        if (!slot.element()) {
            code.aload(kryo);
            onKryo(slot.leaf() ? "touch" : "enter", CodeNames.TO_VOID);
        }
    }

    final void leave(TypedSlot slot) {
        if (!slot.element() && !slot.leaf()) {
            code.aload(kryo);
            onKryo("leave", CodeNames.TO_VOID);
        }
    }

    final void leaveElements() {
        code.aload(kryo);
        onKryo("leaveElements", CodeNames.TO_VOID);
    }

    static ClassDesc serializerOfContainer(TypedSlot slot) {
        return slot.isMap() ? CodeNames.ENTRIES : CodeNames.ELEMENTS;
    }

    static ClassDesc container(TypedSlot slot) {
        return slot.isMap() ? CodeNames.MAP : CodeNames.COLLECTION;
    }
}
