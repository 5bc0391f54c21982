package io.rdmarpc.rpc.engine.context;

import org.jspecify.annotations.Nullable;

/** States what the engine's order of events guarantees, where the compiler cannot see it. */
public final class Expect {

    private Expect() {}

    /** Returns the part, which is there: anything else is a fault of the engine. */
    public static <T> T present(@Nullable T part) {
        if (part == null) {
            throw new AssertionError("the engine refers to a part that it has let go");
        }
        return part;
    }
}
