package io.rdmarpc.service.codec.record;

import java.lang.reflect.Modifier;

/** How a value is written follows from its declared type. */
enum SlotKind {
    /** Its bytes and nothing else. */
    PRIMITIVE,
    /** Text, which says itself whether it is null. */
    TEXT,
    /** A value of exactly the declared class, or null. */
    FINAL,
    /** A value of the declared class or one below it, with the number of its class, or null. */
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
