package io.rdmarpc.rpc.runtime;

import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Which threads turn the engines of a runtime, and how.
 *
 * @param threads how many, each with an engine of its own that sessions are spread over; 0 for one engine that the user
 *     turns by {@link RdmaRuntime#doWork}
 * @param idle what they do without work
 * @param idleTurns turns without work before a thread sleeps; counts for {@link IdlePolicy#ADAPTIVE}
 * @param maxPark longest sleep while something is due by time
 * @param cpus the processors they are bound to, one after the other and again from the first; empty for any
 */
public record PollingConfig(int threads, IdlePolicy idle, int idleTurns, Duration maxPark, List<Integer> cpus) {

    /** Most threads: more than that are more than one NIC can feed. */
    public static final int MAX_THREADS = 64;

    /** Default: threads. */
    public static final int DEFAULT_THREADS = 1;

    /** Default: cycles without work before a thread sleeps. */
    public static final int DEFAULT_IDLE_TURNS = 5000;

    /** Default: longest sleep while something is due, in milliseconds. */
    public static final int DEFAULT_MAX_PARK_MILLIS = 1;

    /** One thread, adaptive, on any processor. */
    public static final PollingConfig DEFAULTS = new PollingConfig(
            DEFAULT_THREADS,
            IdlePolicy.ADAPTIVE,
            DEFAULT_IDLE_TURNS,
            Duration.ofMillis(DEFAULT_MAX_PARK_MILLIS),
            List.of());

    /** No thread: the user turns the runtime by {@link RdmaRuntime#doWork}. */
    public static final PollingConfig USER_DRIVEN = DEFAULTS.withThreads(0);

    /**
     * Checks the numbers and copies the list.
     *
     * @param threads how many
     * @param idle what they do without work
     * @param idleTurns turns without work before a thread sleeps
     * @param maxPark longest sleep while something is due by time
     * @param cpus the processors they are bound to
     */
    public PollingConfig {
        cpus = List.copyOf(cpus);
        if (threads < 0 || threads > MAX_THREADS) {
            throw new RdmaConfigurationException(
                    "polling.threads",
                    threads,
                    "it must be 0 to " + MAX_THREADS,
                    "Use 1, or as many as the process has cores to spare");
        }
        if (cpus.stream().anyMatch(cpu -> cpu < 0)) {
            throw new RdmaConfigurationException(
                    "polling.cpus", cpus, "processors count from 0", "Use numbers of /proc/cpuinfo, or leave it out");
        }
    }

    /**
     * Changes how many threads there are.
     *
     * @param count how many
     * @return the changed copy
     */
    public PollingConfig withThreads(int count) {
        return new PollingConfig(count, idle, idleTurns, maxPark, cpus);
    }

    /**
     * Changes what the threads do without work.
     *
     * @param policy what
     * @return the changed copy
     */
    public PollingConfig withIdle(IdlePolicy policy) {
        return new PollingConfig(threads, policy, idleTurns, maxPark, cpus);
    }

    /**
     * Changes the processors.
     *
     * @param processors which
     * @return the changed copy
     */
    public PollingConfig withCpus(List<Integer> processors) {
        return new PollingConfig(threads, idle, idleTurns, maxPark, processors);
    }

    /**
     * Describes the threads.
     *
     * @param name name of the first; the others get a number from 1 behind it
     * @return one object each, to be started by the runtime
     */
    public List<PollingThread> threads(String name) {
        return IntStream.range(0, threads)
                .mapToObj(i -> new PollingThread(
                        i == 0 ? name : name + "-" + i,
                        idle,
                        idleTurns,
                        maxPark,
                        cpus.isEmpty() ? PollingThread.ANY_CPU : cpus.get(i % cpus.size())))
                .toList();
    }
}
