package io.rdmarpc.autoconfigure.properties;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The settings of all presets, for tests of the documentation. */
public final class Presets {

    private Presets() {}

    /** Returns the settings by preset name as users write it. */
    public static Map<String, Map<String, String>> all() {
        Map<String, Map<String, String>> all = new LinkedHashMap<>();
        for (RdmaPreset preset : RdmaPreset.values()) {
            all.put(preset.name().toLowerCase(Locale.ROOT).replace('_', '-'), preset.defaults());
        }
        return all;
    }
}
