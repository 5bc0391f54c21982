package io.rdmarpc.rpc.engine;

import org.jspecify.annotations.Nullable;

/** States what the engine's order of events guarantees, where the compiler cannot see it. */
final class Expect {

    private Expect() {}

    /** Returns the part, which is there: anything else is a fault of the engine. */
    static <T> T present(@Nullable T part) {
        if (part == null) {
            throw new AssertionError("the engine refers to a part that it has let go");
        }
        return part;
    }
}
