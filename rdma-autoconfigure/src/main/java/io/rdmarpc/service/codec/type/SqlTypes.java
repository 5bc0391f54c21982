package io.rdmarpc.service.codec.type;

import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;

/** The dates of {@code java.sql}. A process without that module calls {@link #arePresent} only. */
public final class SqlTypes {

    private SqlTypes() {}

    public static boolean arePresent() {
        return ModuleLayer.boot().findModule("java.sql").isPresent();
    }

    public static Class<?> timestamp() {
        return Timestamp.class;
    }

    public static Class<?> date() {
        return Date.class;
    }

    public static Class<?> time() {
        return Time.class;
    }
}
