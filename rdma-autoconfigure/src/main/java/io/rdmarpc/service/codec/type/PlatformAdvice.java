package io.rdmarpc.service.codec.type;

import java.util.Calendar;
import java.util.IdentityHashMap;
import java.util.TimeZone;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/** Says what to declare instead of types of the JDK whose values would not arrive as they were. */
final class PlatformAdvice {

    private PlatformAdvice() {}

    /** Returns the advice, null for a type that needs none. */
    static @Nullable String insteadOf(Class<?> type) {
        if (Calendar.class.isAssignableFrom(type)) {
            return "Use java.time.ZonedDateTime: a calendar has a zone, a first day of the week and rules of its own, which"
                    + " differ between its classes";
        }
        if (TimeZone.class.isAssignableFrom(type)) {
            return "Use java.time.ZoneId";
        }
        if (type == IdentityHashMap.class || type == WeakHashMap.class) {
            return "Declare Map: what arrives are other objects, so none of them would be found by its identity";
        }
        return null;
    }
}
