package io.rdmarpc.benchmarks.load;

import io.rdmarpc.benchmarks.load.Contestant.Client;

/** A measurement of length 0: each caller or slot makes one call. */
public final class OneCallEach {

    private OneCallEach() {}

    /** Makes the calls and returns how many had a correct response. */
    public static long of(Client client, Cell cell) throws Exception {
        try (Run run = cell.callers() == Callers.ASYNC ? new AsyncRun(client, cell) : new BlockingRun(client, cell)) {
            return run.run(0).calls();
        }
    }
}
