package io.rdmarpc.service.codec.record;

import static io.rdmarpc.service.codec.record.CodeNames.BASE;
import static io.rdmarpc.service.codec.record.CodeNames.INLINE_CACHE;
import static io.rdmarpc.service.codec.record.CodeNames.MEMBERS;
import static io.rdmarpc.service.codec.record.CodeNames.OWN_INPUT;
import static io.rdmarpc.service.codec.record.CodeNames.OWN_KRYO;
import static io.rdmarpc.service.codec.record.CodeNames.OWN_OUTPUT;
import static io.rdmarpc.service.codec.record.CodeNames.READ;
import static io.rdmarpc.service.codec.record.CodeNames.SERIALIZER;
import static io.rdmarpc.service.codec.record.CodeNames.WRITE;
import static java.lang.constant.ConstantDescs.CD_Class;
import static java.lang.constant.ConstantDescs.CD_MethodHandle;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import io.rdmarpc.service.codec.type.Members;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Generates a hidden class that reads and writes one record type. Its code is linear: each component uses its own
 * accessor, without boxing and reflection. Each container with declared elements has a loop.
 * {@linkplain SlotCode Each slot} has its own calls of serializers.
 *
 * <p>The hidden class is a nest mate of this package, not of the record. It accesses the record using method handles in
 * its class data. The class loaders and modules of this library and of the record therefore need not have access to
 * each other.
 */
final class RecordCompiler {

    // Parameters: this, Kryo, Output or Input, and the value or its class.
    private static final int KRYO_PARAMETER = 1;
    private static final int CHANNEL_PARAMETER = 2;
    private static final int VALUE = 3;

    private final ClassDesc owner;
    private final Members members;
    private final List<TypedSlot> slots;
    private final CodeBuilder code;

    // Local variables: Kryo and the channel cast to this library's types, the component's index, and its value.
    private final int kryo;
    private final int channel;
    private final int at;
    private final int component;

    private RecordCompiler(ClassDesc owner, Members members, List<TypedSlot> slots, CodeBuilder code) {
        this.owner = owner;
        this.members = members;
        this.slots = slots;
        this.code = code;
        this.kryo = code.allocateLocal(TypeKind.REFERENCE);
        this.channel = code.allocateLocal(TypeKind.REFERENCE);
        this.at = code.allocateLocal(TypeKind.INT);
        this.component = code.allocateLocal(TypeKind.REFERENCE);
    }

    static Class<? extends RecordSerializer> compile(Members members) throws IllegalAccessException {
        List<TypedSlot> slots = TypedSlot.of(members);
        return MethodHandles.lookup()
                .defineHiddenClassWithClassData(bytes(members, slots), constants(members, slots), true)
                .lookupClass()
                .asSubclass(RecordSerializer.class);
    }

    /**
     * Returns the class data: the classes of all slots by number, the getter of each component, and the constructor.
     */
    private static List<Object> constants(Members members, List<TypedSlot> slots) {
        List<TypedSlot> all = new ArrayList<>(TypedSlot.all(slots));
        all.sort(Comparator.comparingInt(TypedSlot::number));
        List<Object> constants =
                new ArrayList<>(all.stream().map(TypedSlot::type).toList());
        for (TypedSlot slot : slots) {
            constants.add(members.getter(slot.number()));
        }
        constants.add(members.constructor());
        return constants;
    }

    private static byte[] bytes(Members members, List<TypedSlot> slots) {
        ClassHierarchyResolver hierarchy = ClassHierarchyResolver.ofClassLoading(RecordCompiler.class.getClassLoader());
        ClassDesc name = ClassDesc.of(RecordCompiler.class.getPackageName() + ".Generated"
                + members.type().getSimpleName() + "Serializer");
        return ClassFile.of(ClassHierarchyResolverOption.of(hierarchy)).build(name, type -> {
            type.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SYNTHETIC).withSuperclass(BASE);
            addConstructor(type);
            addFields(name, type, TypedSlot.all(slots));
            type.withMethodBody(
                    "write",
                    WRITE,
                    ClassFile.ACC_PUBLIC,
                    body -> new RecordCompiler(name, members, slots, body).traced(OWN_OUTPUT, RecordCompiler::write));
            type.withMethodBody(
                    "read",
                    READ,
                    ClassFile.ACC_PUBLIC,
                    body -> new RecordCompiler(name, members, slots, body).traced(OWN_INPUT, RecordCompiler::read));
            TypedSlot.all(slots).stream().filter(TypedSlot::isContainer).forEach(slot -> {
                SlotWriter.addContainer(name, type, slot);
                SlotReader.addContainer(name, type, slot);
            });
        });
    }

    private static void addConstructor(ClassBuilder type) {
        MethodTypeDesc ofMembers = MethodTypeDesc.of(CD_void, MEMBERS);
        type.withMethodBody(
                ConstantDescs.INIT_NAME,
                ofMembers,
                0,
                body -> body.aload(0)
                        .aload(1)
                        .invokespecial(BASE, ConstantDescs.INIT_NAME, ofMembers)
                        .return_());
    }

    /** Adds the fields of each slot, which hold what the slot needs of its Kryo. */
    private static void addFields(ClassDesc owner, ClassBuilder type, List<TypedSlot> all) {
        MethodTypeDesc take =
                MethodTypeDesc.of(CD_void, SERIALIZER.arrayType(), CD_int.arrayType(), INLINE_CACHE.arrayType());
        type.withMethodBody("take", take, 0, body -> {
            for (TypedSlot slot : all) {
                boolean polymorphic = slot.kind() == SlotKind.POLYMORPHIC;
                boolean exact = polymorphic && slot.isExact();
                if (polymorphic) {
                    addField(owner, type, body, slot, SlotCode.cacheOf(slot), INLINE_CACHE, 3);
                }
                if (exact) {
                    addField(owner, type, body, slot, SlotCode.numberOf(slot), CD_int, 2);
                }
                if (exact || slot.kind() == SlotKind.FINAL) {
                    addField(owner, type, body, slot, SlotCode.serializerOf(slot), SERIALIZER, 1);
                }
            }
            body.return_();
        });
    }

    private static void addField(
            ClassDesc owner,
            ClassBuilder type,
            CodeBuilder body,
            TypedSlot slot,
            String name,
            ClassDesc of,
            int parameter) {
        type.withField(name, of, ClassFile.ACC_PRIVATE);
        body.aload(0).aload(parameter).loadConstant(slot.number()).arrayLoad(TypeKind.from(of));
        body.putfield(owner, name, of);
    }

    /** Adds a handler that records in which component an exception was thrown. */
    private void traced(ClassDesc ownChannel, Consumer<RecordCompiler> body) {
        Label start = code.newLabel();
        Label end = code.newLabel();
        Label handler = code.newLabel();
        code.aload(KRYO_PARAMETER).checkcast(OWN_KRYO).astore(kryo);
        code.aload(CHANNEL_PARAMETER).checkcast(ownChannel).astore(channel);
        code.iconst_0().istore(at);
        code.labelBinding(start);
        body.accept(this);
        code.labelBinding(end);
        code.labelBinding(handler);
        code.astore(component).aload(0).aload(component).iload(at);
        code.invokevirtual(
                BASE, "traced", MethodTypeDesc.of(CodeNames.TRACED, ClassDesc.of("java.lang.Throwable"), CD_int));
        code.athrow();
        code.exceptionCatch(start, end, handler, CodeNames.FAILURE);
    }

    private void at(int member) {
        code.loadConstant(member).istore(at);
    }

    /** Loads the handle of a component, or the constructor for the number after the last component. */
    private void loadHandle(int member) {
        SlotCode.loadConstant(code, CD_MethodHandle, TypedSlot.all(slots).size() + member);
    }

    private void invoke(MethodHandle handle) {
        code.invokevirtual(
                CD_MethodHandle,
                "invokeExact",
                handle.type().describeConstable().orElseThrow());
    }

    /** Pushes the component's value. */
    private void get(int member) {
        loadHandle(member);
        code.aload(VALUE);
        invoke(members.getter(member));
    }

    private void write() {
        SlotWriter writer = new SlotWriter(owner, code, kryo, channel, component);
        for (TypedSlot slot : slots) {
            int member = slot.number();
            at(member);
            switch (slot.kind()) {
                case PRIMITIVE -> writePrimitive(member, Primitive.of(slot.type()));
                case TEXT -> {
                    code.aload(channel);
                    get(member);
                    code.checkcast(CD_String)
                            .invokevirtual(OWN_OUTPUT, "writeString", MethodTypeDesc.of(CD_void, CD_String));
                }
                case FINAL, POLYMORPHIC -> {
                    get(member);
                    code.astore(component);
                    writer.write(slot);
                }
            }
        }
        code.return_();
    }

    private void writePrimitive(int member, Primitive kind) {
        code.aload(channel);
        get(member);
        if (kind.variable) {
            // Zigzag encoding, so that small negative numbers are as short as small positive ones.
            code.iconst_0()
                    .invokevirtual(OWN_OUTPUT, kind.write, MethodTypeDesc.of(CD_int, kind.written, CD_boolean))
                    .pop();
        } else {
            code.invokevirtual(OWN_OUTPUT, kind.write, MethodTypeDesc.of(CD_void, kind.written));
        }
    }

    private void read() {
        SlotReader reader = new SlotReader(owner, code, kryo, channel);
        int[] locals = new int[slots.size()];
        for (TypedSlot slot : slots) {
            int member = slot.number();
            at(member);
            TypeKind kind = TypeKind.from(slot.type());
            locals[member] = code.allocateLocal(kind);
            switch (slot.kind()) {
                case PRIMITIVE -> readPrimitive(Primitive.of(slot.type()));
                case TEXT -> code.aload(channel).invokevirtual(OWN_INPUT, "readString", MethodTypeDesc.of(CD_String));
                case FINAL -> reader.read(slot);
                case POLYMORPHIC -> readPolymorphic(reader, slot);
            }
            code.storeLocal(kind, locals[member]);
        }
        at(locals.length);
        loadHandle(locals.length);
        for (TypedSlot slot : slots) {
            code.loadLocal(TypeKind.from(slot.type()), locals[slot.number()]);
        }
        invoke(members.constructor());
        code.areturn();
    }

    private void readPrimitive(Primitive kind) {
        code.aload(channel);
        if (kind.variable) {
            code.iconst_0().invokevirtual(OWN_INPUT, kind.read, MethodTypeDesc.of(kind.type, CD_boolean));
        } else {
            code.invokevirtual(OWN_INPUT, kind.read, MethodTypeDesc.of(kind.type));
        }
    }

    private void readPolymorphic(SlotReader reader, TypedSlot slot) {
        reader.read(slot);
        code.astore(component);
        reader.loadCache(slot).aload(component);
        reader.loadType(slot);
        code.invokevirtual(INLINE_CACHE, "checked", MethodTypeDesc.of(CD_Object, CD_Object, CD_Class));
    }

    /** Encoding of primitives. Integers near 0 take fewer bytes. */
    @SuppressWarnings("ImmutableEnumChecker") // ClassDesc is immutable.
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
            throw new IllegalArgumentException(type + " is not a primitive type of a value: void has none");
        }
    }
}
