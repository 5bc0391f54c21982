package io.rdmarpc.autoconfigure.properties;

/** A format of messages that comes along. */
public enum MessageFormat {
    /** Kryo: small and fast. */
    KRYO,
    /** JSON by Jackson 3: readable. */
    JSON
}
