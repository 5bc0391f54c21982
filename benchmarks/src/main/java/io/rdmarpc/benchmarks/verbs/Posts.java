package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.verbs.error.Errno;

/** A post that fails ends a benchmark. */
final class Posts {

    private Posts() {}

    static void check(int errno) {
        if (errno != 0) {
            throw new IllegalStateException("posting failed: " + Errno.describe(errno));
        }
    }
}
