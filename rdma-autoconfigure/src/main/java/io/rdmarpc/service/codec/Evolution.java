package io.rdmarpc.service.codec;

/** How far the classes of two processes may differ. */
public enum Evolution {

    /** Not at all: fields travel without their names, messages are smallest. Differences are refused at connect. */
    NONE,

    /**
     * Records and classes may have more or fewer fields on one side, enums more or fewer constants: fields travel with a
     * number made from their name and can be skipped. A field that both have must have the same type.
     */
    COMPATIBLE
}
