package io.rdmarpc.service.codec.record;

import java.lang.reflect.Modifier;

/** Encoding of a slot, which follows from its declared type. */
enum SlotKind {
    /** The bytes of a primitive value, without type information. */
    PRIMITIVE,
    /** A string, whose encoding includes null. */
    TEXT,
    /** A value of exactly the declared class, or null. */
    FINAL,
    /** A value of the declared class or a subclass, with the number of its class, or null. */
    POLYMORPHIC;

    static SlotKind of(Class<?> type) {
        if (type.isPrimitive()) {
            return PRIMITIVE;
        }
        if (type == String.class) {
            return TEXT;
        }
        Class<?> decisive = type;
        while (decisive.isArray()) {
            decisive = decisive.getComponentType();
        }
        return Modifier.isFinal(decisive.getModifiers()) ? FINAL : POLYMORPHIC;
    }
}
