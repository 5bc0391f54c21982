package io.rdmarpc.benchmarks.goals;

import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Cell;
import io.rdmarpc.benchmarks.load.Payload;

/**
 * What a pair of processes is measured with.
 *
 * @param cell which calls
 * @param circumstances under which
 */
record Task(Cell cell, Circumstances circumstances) {

    /** What else is the case. */
    enum Circumstances {
        /** Nothing. */
        QUIET,
        /** A shell loop keeps a CPU busy. */
        BESIDE_A_BUSY_PROCESS,
        /** Calls begin at half of the rate that {@link Goals#PACE} reached in this round. */
        PACED,
        /** Some times nothing is called for ten seconds, whose processor time counts, and then each caller calls once. */
        AFTER_IDLE
    }

    static Task of(Payload payload, Callers callers, int outstanding) {
        return new Task(Cell.of(payload, callers, outstanding), Circumstances.QUIET);
    }

    Task when(Circumstances other) {
        return new Task(cell, other);
    }

    @Override
    public String toString() {
        return switch (circumstances) {
            case QUIET -> cell.toString();
            case BESIDE_A_BUSY_PROCESS -> cell + ", beside a busy process";
            case PACED -> cell + ", paced";
            case AFTER_IDLE -> cell + ", after 10 s without calls";
        };
    }
}
