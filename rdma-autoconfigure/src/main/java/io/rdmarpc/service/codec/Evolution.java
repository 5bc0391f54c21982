package io.rdmarpc.service.codec;

/** Permitted differences between the classes of two processes. */
public enum Evolution {

    /**
     * No differences. Fields are sent without names, so messages are smallest. Differences are rejected at connect.
     */
    NONE,

    /**
     * Records and classes may have more or fewer fields on one side, and enums more or fewer constants. Each field is
     * sent with a number that is computed from its name, so that it can be skipped. A field on both sides must have
     * the same type.
     */
    COMPATIBLE
}
