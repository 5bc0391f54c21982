package io.rdmarpc.service.codec;

import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;

/** The dates of {@code java.sql}. A process without that module calls {@link #arePresent} only. */
final class SqlTypes {

    private SqlTypes() {}

    static boolean arePresent() {
        return ModuleLayer.boot().findModule("java.sql").isPresent();
    }

    static Class<?> timestamp() {
        return Timestamp.class;
    }

    static Class<?> date() {
        return Date.class;
    }

    static Class<?> time() {
        return Time.class;
    }
}
