package io.rdmarpc;

/** Where the random numbers of a test start: {@code rdma.test.seed}, or another place in each run; printed either way. */
public final class TestSeed {

    private static final StackWalker CALLERS = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private TestSeed() {}

    /** Prints how the same run is had again. */
    public static long next() {
        long seed = Long.getLong("rdma.test.seed", System.nanoTime() & Long.MAX_VALUE);
        System.out.println(CALLERS.getCallerClass().getSimpleName() + " -Drdma.test.seed=" + seed);
        return seed;
    }
}
