package io.rdmarpc.service.codec;

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
 * The code of places: what it calls is called from nowhere else, so that the JIT compiler sees which serializers, collections and
 * iterators are met there, and puts their code in line. A container has a method of its own, in which its elements are.
 */
abstract class PlaceCode {

    private static final DirectMethodHandleDesc CLASS_DATA_AT = ConstantDescs.ofConstantBootstrap(
            ClassDesc.of("java.lang.invoke.MethodHandles"), "classDataAt", CD_Object, CD_int);

    final ClassDesc owner;
    final CodeBuilder code;

    // Local variables.
    final int kryo;
    final int channel;
    final int serializer;

    PlaceCode(ClassDesc owner, CodeBuilder code, int kryo, int channel) {
        this.owner = owner;
        this.code = code;
        this.kryo = kryo;
        this.channel = channel;
        this.serializer = code.allocateLocal(TypeKind.REFERENCE);
    }

    static String lastOf(Place place) {
        return "last" + place.number();
    }

    static String serializerOf(Place place) {
        return "serializer" + place.number();
    }

    static String numberOf(Place place) {
        return "number" + place.number();
    }

    static void loadConstant(CodeBuilder code, ClassDesc type, int index) {
        code.loadConstant(DynamicConstantDesc.ofNamed(CLASS_DATA_AT, ConstantDescs.DEFAULT_NAME, type, index));
    }

    /** The first constants are the classes of all places. */
    final void loadType(Place place) {
        loadConstant(code, CD_Class, place.number());
    }

    final CodeBuilder loadLast(Place place) {
        return code.aload(0).getfield(owner, lastOf(place), CodeNames.LAST_CLASS);
    }

    final void takeSerializer(Place place) {
        code.aload(0).getfield(owner, serializerOf(place), CodeNames.SERIALIZER).astore(serializer);
    }

    final void loadNumber(Place place) {
        code.aload(0).getfield(owner, numberOf(place), CD_int);
    }

    final void onKryo(String method, MethodTypeDesc type) {
        code.invokevirtual(CodeNames.OWN_KRYO, method, type);
    }

    final void enter(Place place) {
        if (!place.element()) {
            code.aload(kryo);
            onKryo(place.leaf() ? "touch" : "enter", CodeNames.TO_VOID);
        }
    }

    final void leave(Place place) {
        if (!place.element() && !place.leaf()) {
            code.aload(kryo);
            onKryo("leave", CodeNames.TO_VOID);
        }
    }

    final void leaveElements() {
        code.aload(kryo);
        onKryo("leaveElements", CodeNames.TO_VOID);
    }

    static ClassDesc serializerOfContainer(Place place) {
        return place.isMap() ? CodeNames.ENTRIES : CodeNames.ELEMENTS;
    }

    static ClassDesc container(Place place) {
        return place.isMap() ? CodeNames.MAP : CodeNames.COLLECTION;
    }
}
