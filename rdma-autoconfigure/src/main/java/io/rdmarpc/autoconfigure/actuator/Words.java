package io.rdmarpc.autoconfigure.actuator;

import java.util.Locale;

/** Formats enum constants for endpoints. */
final class Words {

    private Words() {}

    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
