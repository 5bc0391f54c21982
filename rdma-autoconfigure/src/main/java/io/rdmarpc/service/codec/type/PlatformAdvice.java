package io.rdmarpc.service.codec.type;

import java.util.Calendar;
import java.util.IdentityHashMap;
import java.util.TimeZone;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/** Advice for types of the JDK whose values would not arrive unchanged. */
final class PlatformAdvice {

    private PlatformAdvice() {}

    /** Returns the advice, or null for a type that needs none. */
    static @Nullable String alternativeTo(Class<?> type) {
        if (Calendar.class.isAssignableFrom(type)) {
            return "Use java.time.ZonedDateTime: a calendar has a zone, a first day of the week and rules that"
                    + " differ between its classes";
        }
        if (TimeZone.class.isAssignableFrom(type)) {
            return "Use java.time.ZoneId";
        }
        if (type == IdentityHashMap.class || type == WeakHashMap.class) {
            return "Declare Map: received keys are new objects, so lookups by identity or weak references would fail";
        }
        return null;
    }
}
