package io.rdmarpc.service.codec;

import static java.lang.constant.ConstantDescs.CD_Class;
import static java.lang.constant.ConstantDescs.CD_MethodHandle;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Generates a hidden class that writes and reads one record type: a straight line of code, each component through its own
 * accessor, with no loop, no boxing and no reflection.
 *
 * <p>The class lives here, not beside the record: it reaches the record through method handles that are constants of it, so
 * neither side's class loader or module has to know the other's.
 */
final class RecordCompiler {

    private static final ClassDesc BASE =
            RecordSerializer.class.describeConstable().orElseThrow();
    private static final ClassDesc MEMBERS = Members.class.describeConstable().orElseThrow();
    private static final ClassDesc OWN_KRYO =
            ServiceKryo.class.describeConstable().orElseThrow();
    private static final ClassDesc LAST_CLASS =
            LastClass.class.describeConstable().orElseThrow();
    private static final ClassDesc KRYO = Kryo.class.describeConstable().orElseThrow();
    private static final ClassDesc OUTPUT = Output.class.describeConstable().orElseThrow();
    private static final ClassDesc INPUT = Input.class.describeConstable().orElseThrow();
    private static final ClassDesc SERIALIZER =
            Serializer.class.describeConstable().orElseThrow();
    private static final ClassDesc FAILURE = ClassDesc.of("java.lang.RuntimeException");
    private static final ClassDesc TRACED = ClassDesc.of("com.esotericsoftware.kryo.KryoException");
    private static final DirectMethodHandleDesc CLASS_DATA_AT = ConstantDescs.ofConstantBootstrap(
            ClassDesc.of("java.lang.invoke.MethodHandles"), "classDataAt", CD_Object, CD_int);

    // Parameters: this, Kryo, Output or Input, then the value or its class.
    private static final int THEIR_KRYO = 1;
    private static final int CHANNEL = 2;
    private static final int VALUE = 3;

    private final Members members;
    private final CodeBuilder code;

    // Local variables: Kryo as ours, the component's index, its serializer, its value.
    private final int ours;
    private final int at;
    private final int nested;
    private final int component;

    private RecordCompiler(Members members, CodeBuilder code) {
        this.members = members;
        this.code = code;
        this.ours = code.allocateLocal(TypeKind.REFERENCE);
        this.at = code.allocateLocal(TypeKind.INT);
        this.nested = code.allocateLocal(TypeKind.REFERENCE);
        this.component = code.allocateLocal(TypeKind.REFERENCE);
    }

    static Class<? extends RecordSerializer> compile(Members members) throws IllegalAccessException {
        List<MethodHandle> handles = new ArrayList<>();
        for (int i = 0; i < members.count(); i++) {
            handles.add(members.getter(i));
        }
        handles.add(members.constructor());
        return MethodHandles.lookup()
                .defineHiddenClassWithClassData(bytes(members), handles, true)
                .lookupClass()
                .asSubclass(RecordSerializer.class);
    }

    private static byte[] bytes(Members members) {
        ClassHierarchyResolver hierarchy = ClassHierarchyResolver.ofClassLoading(RecordCompiler.class.getClassLoader());
        String name = RecordCompiler.class.getPackageName() + ".Generated"
                + members.type().getSimpleName() + "Serializer";
        return ClassFile.of(ClassHierarchyResolverOption.of(hierarchy))
                .build(
                        ClassDesc.of(name),
                        type -> type.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SYNTHETIC)
                                .withSuperclass(BASE)
                                .withMethodBody(
                                        ConstantDescs.INIT_NAME,
                                        MethodTypeDesc.of(CD_void, MEMBERS),
                                        0,
                                        body -> body.aload(0)
                                                .aload(1)
                                                .invokespecial(
                                                        BASE,
                                                        ConstantDescs.INIT_NAME,
                                                        MethodTypeDesc.of(CD_void, MEMBERS))
                                                .return_())
                                .withMethodBody(
                                        "write",
                                        MethodTypeDesc.of(CD_void, KRYO, OUTPUT, CD_Object),
                                        ClassFile.ACC_PUBLIC,
                                        body -> new RecordCompiler(members, body).traced(RecordCompiler::write))
                                .withMethodBody(
                                        "read",
                                        MethodTypeDesc.of(CD_Object, KRYO, INPUT, CD_Class),
                                        ClassFile.ACC_PUBLIC,
                                        body -> new RecordCompiler(members, body).traced(RecordCompiler::read)));
    }

    /** What fails inside says which component it was in. */
    private void traced(Consumer<RecordCompiler> body) {
        Label start = code.newLabel();
        Label end = code.newLabel();
        Label handler = code.newLabel();
        code.aload(THEIR_KRYO).checkcast(OWN_KRYO).astore(ours);
        code.iconst_0().istore(at);
        code.labelBinding(start);
        body.accept(this);
        code.labelBinding(end);
        code.labelBinding(handler);
        code.astore(nested).aload(0).aload(nested).iload(at);
        code.invokevirtual(BASE, "traced", MethodTypeDesc.of(TRACED, ClassDesc.of("java.lang.Throwable"), CD_int));
        code.athrow();
        code.exceptionCatch(start, end, handler, FAILURE);
    }

    private void at(int member) {
        code.loadConstant(member).istore(at);
    }

    /** An element of one of the base class's arrays. */
    private CodeBuilder element(String field, ClassDesc type, int index) {
        return code.aload(0)
                .getfield(BASE, field, type.arrayType())
                .loadConstant(index)
                .aaload();
    }

    private CodeBuilder handle(int index) {
        return code.loadConstant(
                DynamicConstantDesc.ofNamed(CLASS_DATA_AT, ConstantDescs.DEFAULT_NAME, CD_MethodHandle, index));
    }

    private void invoke(MethodHandle handle) {
        code.invokevirtual(
                CD_MethodHandle,
                "invokeExact",
                handle.type().describeConstable().orElseThrow());
    }

    /** Leaves the component's value on the stack. */
    private void get(int member) {
        handle(member).aload(VALUE);
        invoke(members.getter(member));
    }

    private void write() {
        for (int i = 0; i < members.count(); i++) {
            at(i);
            Class<?> type = members.type(i);
            switch (SlotKind.of(type)) {
                case PRIMITIVE -> writePrimitive(i, Primitive.of(type));
                case TEXT -> {
                    code.aload(CHANNEL);
                    get(i);
                    code.checkcast(CD_String)
                            .invokevirtual(OUTPUT, "writeString", MethodTypeDesc.of(CD_void, CD_String));
                }
                case FINAL -> writeFinal(i);
                case OPEN -> {
                    code.aload(ours).aload(CHANNEL);
                    get(i);
                    element("last", LAST_CLASS, i);
                    code.invokevirtual(
                            OWN_KRYO, "writeOpen", MethodTypeDesc.of(CD_void, OUTPUT, CD_Object, LAST_CLASS));
                }
            }
        }
        code.return_();
    }

    private void writePrimitive(int member, Primitive kind) {
        code.aload(CHANNEL);
        get(member);
        if (kind.variable) {
            // Small numbers below 0 are as short as those above.
            code.iconst_0()
                    .invokevirtual(OUTPUT, kind.write, MethodTypeDesc.of(CD_int, kind.written, CD_boolean))
                    .pop();
        } else {
            code.invokevirtual(OUTPUT, kind.write, MethodTypeDesc.of(CD_void, kind.written));
        }
    }

    private void writeFinal(int member) {
        Label isNull = code.newLabel();
        get(member);
        code.astore(component);
        element("serializers", SERIALIZER, member).astore(nested);
        code.aload(ours).aload(CHANNEL).aload(component).aload(nested);
        code.invokevirtual(OWN_KRYO, "begin", MethodTypeDesc.of(CD_boolean, OUTPUT, CD_Object, SERIALIZER));
        code.ifeq(isNull);
        code.aload(nested).aload(THEIR_KRYO).aload(CHANNEL).aload(component);
        code.invokevirtual(SERIALIZER, "write", MethodTypeDesc.of(CD_void, KRYO, OUTPUT, CD_Object));
        leave();
        code.labelBinding(isNull);
    }

    private void leave() {
        code.aload(ours).invokevirtual(OWN_KRYO, "leave", MethodTypeDesc.of(CD_void));
    }

    private void read() {
        int[] locals = new int[members.count()];
        for (int i = 0; i < locals.length; i++) {
            at(i);
            Class<?> type = members.type(i);
            TypeKind kind = TypeKind.from(type);
            locals[i] = code.allocateLocal(kind);
            switch (SlotKind.of(type)) {
                case PRIMITIVE -> readPrimitive(Primitive.of(type));
                case TEXT -> code.aload(CHANNEL).invokevirtual(INPUT, "readString", MethodTypeDesc.of(CD_String));
                case FINAL -> readFinal(i);
                case OPEN -> readOpen(i);
            }
            code.storeLocal(kind, locals[i]);
        }
        at(locals.length);
        handle(locals.length);
        for (int i = 0; i < locals.length; i++) {
            code.loadLocal(TypeKind.from(members.type(i)), locals[i]);
        }
        invoke(members.constructor());
        code.areturn();
    }

    private void readPrimitive(Primitive kind) {
        code.aload(CHANNEL);
        if (kind.variable) {
            code.iconst_0().invokevirtual(INPUT, kind.read, MethodTypeDesc.of(kind.type, CD_boolean));
        } else {
            code.invokevirtual(INPUT, kind.read, MethodTypeDesc.of(kind.type));
        }
    }

    private void readFinal(int member) {
        Label isNull = code.newLabel();
        Label done = code.newLabel();
        element("serializers", SERIALIZER, member).astore(nested);
        code.aload(ours).aload(CHANNEL).aload(nested);
        code.invokevirtual(OWN_KRYO, "begin", MethodTypeDesc.of(CD_boolean, INPUT, SERIALIZER));
        code.ifeq(isNull);
        code.aload(nested).aload(THEIR_KRYO).aload(CHANNEL);
        element("types", CD_Class, member);
        code.invokevirtual(SERIALIZER, "read", MethodTypeDesc.of(CD_Object, KRYO, INPUT, CD_Class));
        leave();
        code.goto_(done);
        code.labelBinding(isNull).aconst_null();
        code.labelBinding(done);
    }

    private void readOpen(int member) {
        code.aload(ours).aload(CHANNEL);
        code.invokevirtual(OWN_KRYO, "readClassAndObject", MethodTypeDesc.of(CD_Object, INPUT));
        element("types", CD_Class, member);
        code.invokestatic(BASE, "checked", MethodTypeDesc.of(CD_Object, CD_Object, CD_Class));
    }

    /** How a primitive is written and read; whole numbers take fewer bytes when they are near 0. */
    @SuppressWarnings("ImmutableEnumChecker") // Descriptions of types do not change.
    private enum Primitive {
        BOOLEAN(boolean.class, "Boolean", false),
        BYTE(byte.class, "Byte", false),
        SHORT(short.class, int.class, "Short", false),
        CHAR(char.class, "Char", false),
        INT(int.class, "VarInt", true),
        LONG(long.class, "VarLong", true),
        FLOAT(float.class, "Float", false),
        DOUBLE(double.class, "Double", false);

        final Class<?> of;
        final ClassDesc type;
        final ClassDesc written;
        final String write;
        final String read;
        final boolean variable;

        Primitive(Class<?> of, String name, boolean variable) {
            this(of, of, name, variable);
        }

        Primitive(Class<?> of, Class<?> written, String name, boolean variable) {
            this.of = of;
            this.written = written.describeConstable().orElseThrow();
            this.type = of.describeConstable().orElseThrow();
            this.write = "write" + name;
            this.read = "read" + name;
            this.variable = variable;
        }

        static Primitive of(Class<?> type) {
            for (Primitive each : values()) {
                if (each.of == type) {
                    return each;
                }
            }
            throw new IllegalArgumentException(type + " is not a primitive type with values");
        }
    }
}
