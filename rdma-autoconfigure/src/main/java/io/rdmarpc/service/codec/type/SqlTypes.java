package io.rdmarpc.service.codec.type;

import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;

/** The date types of {@code java.sql}. A process without that module calls only {@link #arePresent}. */
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
