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

/** The inbox of many threads to one. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class InboxBenchmark {

    private static final class Command extends InboxNode {}

    private final MpscInbox<Command> inbox = new MpscInbox<>();
    private final Command command = new Command();

    /** Made by JMH. */
    public InboxBenchmark() {}

    /**
     * A command through the inbox, without other threads.
     *
     * @return the command
     */
    @Benchmark
    public @Nullable Object offerAndPoll() {
        inbox.offer(command);
        return inbox.poll();
    }

    /**
     * What a turn pays for an empty one.
     *
     * @return nothing
     */
    @Benchmark
    public @Nullable Object pollEmpty() {
        return inbox.poll();
    }
}
