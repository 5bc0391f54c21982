package io.rdmarpc.rpc.engine.context;

import org.jspecify.annotations.Nullable;

/** Asserts conditions that the order of the engine's events guarantees and that the compiler cannot check. */
public final class Expect {

    private Expect() {}

    /** Returns a part that must not be null: null is a bug of the engine. */
    public static <T> T present(@Nullable T part) {
        if (part == null) {
            throw new AssertionError("the engine refers to a part that it has released");
        }
        return part;
    }
}
