package io.rdmarpc.autoconfigure.properties;

/** A built-in message format. */
public enum MessageFormat {
    /** Kryo: small and fast. */
    KRYO,
    /** JSON by Jackson 3: readable. */
    JSON
}
