package io.rdmarpc;

/**
 * Where the random numbers of a test start: the system property {@code rdma.test.seed}, otherwise the environment variable
 * {@code RDMA_TEST_SEED}, otherwise another number in each run. It is printed.
 */
public final class TestSeed {

    private static final StackWalker CALLERS = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private TestSeed() {}

    /** Prints the option that repeats the run. */
    public static long next() {
        long seed = Long.getLong("rdma.test.seed", ofEnvironment());
        System.out.println(CALLERS.getCallerClass().getSimpleName() + " -Drdma.test.seed=" + seed);
        return seed;
    }

    /** Returns the seed of the environment, otherwise another one in each run, for a test that prints the seeds it uses. */
    public static long ofEnvironment() {
        String seed = System.getenv("RDMA_TEST_SEED");
        return seed == null ? System.nanoTime() & Long.MAX_VALUE : Long.parseLong(seed);
    }
}
