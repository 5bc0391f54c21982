package io.rdmarpc.service.codec;

import static io.rdmarpc.service.codec.CodeNames.BASE;
import static io.rdmarpc.service.codec.CodeNames.LAST_CLASS;
import static io.rdmarpc.service.codec.CodeNames.MEMBERS;
import static io.rdmarpc.service.codec.CodeNames.OWN_INPUT;
import static io.rdmarpc.service.codec.CodeNames.OWN_KRYO;
import static io.rdmarpc.service.codec.CodeNames.OWN_OUTPUT;
import static io.rdmarpc.service.codec.CodeNames.READ;
import static io.rdmarpc.service.codec.CodeNames.SERIALIZER;
import static io.rdmarpc.service.codec.CodeNames.WRITE;
import static java.lang.constant.ConstantDescs.CD_Class;
import static java.lang.constant.ConstantDescs.CD_MethodHandle;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

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
 * Generates a hidden class that writes and reads one record type: a straight line of code, each component through its own
 * accessor, with no boxing and no reflection, and a loop for each container whose elements are declared. Calls of serializers
 * are {@linkplain PlaceCode each place's own}.
 *
 * <p>The class lives here, not beside the record: it reaches the record through method handles that are constants of it, so
 * neither side's class loader or module has to know the other's.
 */
final class RecordCompiler {

    // Parameters: this, Kryo, Output or Input, then the value or its class.
    private static final int THEIR_KRYO = 1;
    private static final int THEIR_CHANNEL = 2;
    private static final int VALUE = 3;

    private final ClassDesc owner;
    private final Members members;
    private final List<Place> places;
    private final CodeBuilder code;

    // Local variables: Kryo and the channel as ours, the component's index, its value.
    private final int kryo;
    private final int channel;
    private final int at;
    private final int component;

    private RecordCompiler(ClassDesc owner, Members members, List<Place> places, CodeBuilder code) {
        this.owner = owner;
        this.members = members;
        this.places = places;
        this.code = code;
        this.kryo = code.allocateLocal(TypeKind.REFERENCE);
        this.channel = code.allocateLocal(TypeKind.REFERENCE);
        this.at = code.allocateLocal(TypeKind.INT);
        this.component = code.allocateLocal(TypeKind.REFERENCE);
    }

    static Class<? extends RecordSerializer> compile(Members members) throws IllegalAccessException {
        List<Place> places = Place.of(members);
        return MethodHandles.lookup()
                .defineHiddenClassWithClassData(bytes(members, places), constants(members, places), true)
                .lookupClass()
                .asSubclass(RecordSerializer.class);
    }

    /** The classes of all places by their numbers, then of each component how to get it, and the constructor. */
    private static List<Object> constants(Members members, List<Place> places) {
        List<Place> all = new ArrayList<>(Place.all(places));
        all.sort(Comparator.comparingInt(Place::number));
        List<Object> constants = new ArrayList<>(all.stream().map(Place::type).toList());
        for (Place place : places) {
            constants.add(members.getter(place.number()));
        }
        constants.add(members.constructor());
        return constants;
    }

    private static byte[] bytes(Members members, List<Place> places) {
        ClassHierarchyResolver hierarchy = ClassHierarchyResolver.ofClassLoading(RecordCompiler.class.getClassLoader());
        ClassDesc name = ClassDesc.of(RecordCompiler.class.getPackageName() + ".Generated"
                + members.type().getSimpleName() + "Serializer");
        return ClassFile.of(ClassHierarchyResolverOption.of(hierarchy)).build(name, type -> {
            type.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SYNTHETIC).withSuperclass(BASE);
            addConstructor(type);
            addFields(name, type, Place.all(places));
            type.withMethodBody(
                    "write",
                    WRITE,
                    ClassFile.ACC_PUBLIC,
                    body -> new RecordCompiler(name, members, places, body).traced(OWN_OUTPUT, RecordCompiler::write));
            type.withMethodBody(
                    "read",
                    READ,
                    ClassFile.ACC_PUBLIC,
                    body -> new RecordCompiler(name, members, places, body).traced(OWN_INPUT, RecordCompiler::read));
            Place.all(places).stream().filter(Place::isContainer).forEach(place -> {
                PlaceWriter.addContainer(name, type, place);
                PlaceReader.addContainer(name, type, place);
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

    /** Of each place what it needs of its Kryo. */
    private static void addFields(ClassDesc owner, ClassBuilder type, List<Place> all) {
        MethodTypeDesc take =
                MethodTypeDesc.of(CD_void, SERIALIZER.arrayType(), CD_int.arrayType(), LAST_CLASS.arrayType());
        type.withMethodBody("take", take, 0, body -> {
            for (Place place : all) {
                boolean open = place.kind() == SlotKind.OPEN;
                boolean exact = open && place.isExact();
                if (open) {
                    addField(owner, type, body, place, PlaceCode.lastOf(place), LAST_CLASS, 3);
                }
                if (exact) {
                    addField(owner, type, body, place, PlaceCode.numberOf(place), CD_int, 2);
                }
                if (exact || place.kind() == SlotKind.FINAL) {
                    addField(owner, type, body, place, PlaceCode.serializerOf(place), SERIALIZER, 1);
                }
            }
            body.return_();
        });
    }

    private static void addField(
            ClassDesc owner,
            ClassBuilder type,
            CodeBuilder body,
            Place place,
            String name,
            ClassDesc of,
            int parameter) {
        type.withField(name, of, ClassFile.ACC_PRIVATE);
        body.aload(0).aload(parameter).loadConstant(place.number()).arrayLoad(TypeKind.from(of));
        body.putfield(owner, name, of);
    }

    /** What fails inside says which component it was in. */
    private void traced(ClassDesc ownChannel, Consumer<RecordCompiler> body) {
        Label start = code.newLabel();
        Label end = code.newLabel();
        Label handler = code.newLabel();
        code.aload(THEIR_KRYO).checkcast(OWN_KRYO).astore(kryo);
        code.aload(THEIR_CHANNEL).checkcast(ownChannel).astore(channel);
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

    /** Behind those of components is the constructor. */
    private void loadHandle(int member) {
        PlaceCode.loadConstant(code, CD_MethodHandle, Place.all(places).size() + member);
    }

    private void invoke(MethodHandle handle) {
        code.invokevirtual(
                CD_MethodHandle,
                "invokeExact",
                handle.type().describeConstable().orElseThrow());
    }

    /** Leaves the component's value on the stack. */
    private void get(int member) {
        loadHandle(member);
        code.aload(VALUE);
        invoke(members.getter(member));
    }

    private void write() {
        PlaceWriter writer = new PlaceWriter(owner, code, kryo, channel, component);
        for (Place place : places) {
            int member = place.number();
            at(member);
            switch (place.kind()) {
                case PRIMITIVE -> writePrimitive(member, Primitive.of(place.type()));
                case TEXT -> {
                    code.aload(channel);
                    get(member);
                    code.checkcast(CD_String)
                            .invokevirtual(OWN_OUTPUT, "writeString", MethodTypeDesc.of(CD_void, CD_String));
                }
                case FINAL, OPEN -> {
                    get(member);
                    code.astore(component);
                    writer.write(place);
                }
            }
        }
        code.return_();
    }

    private void writePrimitive(int member, Primitive kind) {
        code.aload(channel);
        get(member);
        if (kind.variable) {
            // Small numbers below 0 are as short as those above.
            code.iconst_0()
                    .invokevirtual(OWN_OUTPUT, kind.write, MethodTypeDesc.of(CD_int, kind.written, CD_boolean))
                    .pop();
        } else {
            code.invokevirtual(OWN_OUTPUT, kind.write, MethodTypeDesc.of(CD_void, kind.written));
        }
    }

    private void read() {
        PlaceReader reader = new PlaceReader(owner, code, kryo, channel);
        int[] locals = new int[places.size()];
        for (Place place : places) {
            int member = place.number();
            at(member);
            TypeKind kind = TypeKind.from(place.type());
            locals[member] = code.allocateLocal(kind);
            switch (place.kind()) {
                case PRIMITIVE -> readPrimitive(Primitive.of(place.type()));
                case TEXT -> code.aload(channel).invokevirtual(OWN_INPUT, "readString", MethodTypeDesc.of(CD_String));
                case FINAL -> reader.read(place);
                case OPEN -> readOpen(reader, place);
            }
            code.storeLocal(kind, locals[member]);
        }
        at(locals.length);
        loadHandle(locals.length);
        for (Place place : places) {
            code.loadLocal(TypeKind.from(place.type()), locals[place.number()]);
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

    private void readOpen(PlaceReader reader, Place place) {
        reader.read(place);
        code.astore(component);
        reader.loadLast(place).aload(component);
        reader.loadType(place);
        code.invokevirtual(LAST_CLASS, "checked", MethodTypeDesc.of(CD_Object, CD_Object, CD_Class));
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
