package io.rdmarpc.autoconfigure.properties;

/** A group of settings that validates its own values after binding. */
interface CheckedSettings {

    /**
     * Reports invalid values, with the values to use instead.
     *
     * @param check collects the errors
     */
    void check(SettingsCheck check);
}
