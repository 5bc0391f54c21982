package io.rdmarpc.autoconfigure.properties;

/** A group of settings that looks at its own values once all are bound. */
interface CheckedSettings {

    /**
     * Tells what is wrong with the values, and what to write instead.
     *
     * @param check is told
     */
    void check(SettingsCheck check);
}
