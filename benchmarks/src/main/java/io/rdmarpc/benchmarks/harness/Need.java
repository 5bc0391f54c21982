package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Cell;
import io.rdmarpc.benchmarks.load.Circumstances;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.peer.Peers;
import java.util.stream.Stream;

/**
 * A measurement that a figure needs: calls, as {@code PEER PAYLOAD CALLERS OUTSTANDING [CIRCUMSTANCES]}, or a program
 * of {@code programs.csv}, as {@code @NAME}.
 */
record Need(String text) {

    /** Calls that define the pace: paced calls use half of their rate. */
    static final Need PACE = new Need("SPRING_INLINE ORDER ASYNC 128");

    boolean isProgram() {
        return text.startsWith("@");
    }

    String program() {
        return text.substring(1);
    }

    private String word(int index) {
        return text.split(" ", -1)[index];
    }

    Peers peer() {
        return Peers.valueOf(word(0));
    }

    /** Returns the calls as a closed loop, regardless of the circumstances. */
    Cell cell() {
        return Cell.of(Payload.valueOf(word(1)), Callers.valueOf(word(2)), Integer.parseInt(word(3)));
    }

    Circumstances circumstances() {
        return text.split(" ", -1).length > 4 ? Circumstances.valueOf(word(4)) : Circumstances.QUIET;
    }

    /** Returns this need, preceded by the need that its pace depends on. */
    Stream<Need> withPace() {
        boolean isPaced = !isProgram() && circumstances() == Circumstances.PACED;
        return isPaced ? Stream.of(PACE, this) : Stream.of(this);
    }

    @Override
    public String toString() {
        return isProgram() ? program() : peer() + ", " + cell() + circumstances();
    }
}
