package io.rdmarpc.autoconfigure.properties;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The settings of each profile, for tests of the documentation. */
public final class Profiles {

    private Profiles() {}

    /** Returns them by the profile's name as users write it. */
    public static Map<String, Map<String, String>> all() {
        Map<String, Map<String, String>> all = new LinkedHashMap<>();
        for (RdmaProfile profile : RdmaProfile.values()) {
            all.put(profile.name().toLowerCase(Locale.ROOT).replace('_', '-'), profile.defaults());
        }
        return all;
    }
}
