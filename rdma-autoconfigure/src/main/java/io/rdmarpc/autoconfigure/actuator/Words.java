package io.rdmarpc.autoconfigure.actuator;

import java.util.Locale;

/** Constants as they are shown. */
final class Words {

    private Words() {}

    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
