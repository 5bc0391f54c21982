package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.verbs.error.Errno;

/** Ends a benchmark if a post fails. */
final class Posts {

    private Posts() {}

    static void check(int errno) {
        if (errno != 0) {
            throw new IllegalStateException("posting a work request failed: " + Errno.describe(errno));
        }
    }
}
