package io.rdmarpc.benchmarks.micro;

import io.rdmarpc.concurrent.InboxNode;
import io.rdmarpc.concurrent.MpscInbox;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The inbox with many producers and one consumer. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class InboxBenchmark {

    private static final class Command extends InboxNode {}

    private final MpscInbox<Command> inbox = new MpscInbox<>();
    private final Command command = new Command();

    /** Called by JMH. */
    public InboxBenchmark() {}

    /**
     * Passes a command through the inbox, without other threads.
     *
     * @return the command
     */
    @Benchmark
    public @Nullable Object offerAndPoll() {
        inbox.offer(command);
        return inbox.poll();
    }

    /**
     * Polls an empty inbox, as each duty cycle does.
     *
     * @return null
     */
    @Benchmark
    public @Nullable Object pollEmpty() {
        return inbox.poll();
    }
}
