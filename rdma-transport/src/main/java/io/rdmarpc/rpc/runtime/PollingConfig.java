package io.rdmarpc.rpc.runtime;

import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The polling threads of a runtime.
 *
 * @param threads number of threads, each with an engine of its own over which sessions are spread. 0 for one engine
 *     that the application runs with {@link RdmaRuntime#doWork}
 * @param maxThreads maximum number of threads. If it is higher than {@code threads}, the runtime adds engines when those
 *     that it has are saturated and processors are idle
 * @param idleStrategy what a thread does after a duty cycle without work
 * @param idleSpins duty cycles without work before a thread sleeps; used by {@link IdlePolicy#ADAPTIVE}
 * @param maxSleep longest sleep while a timer is due or other time-dependent work exists
 * @param cpus numbers of the processors to which the threads are bound in a round-robin; empty for no binding
 */
public record PollingConfig(
        int threads, int maxThreads, IdlePolicy idleStrategy, int idleSpins, Duration maxSleep, List<Integer> cpus) {

    /** One thread for this number of processors: the others run the application and its peers. */
    private static final int PROCESSORS_PER_THREAD = 4;

    /** Maximum number of threads, because one NIC cannot keep more of them busy. */
    public static final int MAX_THREADS = 64;

    /** Default: number of threads. */
    public static final int DEFAULT_THREADS = 1;

    /** Default: duty cycles without work before a thread sleeps. */
    public static final int DEFAULT_IDLE_SPINS = 5000;

    /** Default: longest sleep while time-dependent work exists, in milliseconds. */
    public static final int DEFAULT_MAX_SLEEP_MILLIS = 1;

    /** One thread, adaptive, on any processor. */
    public static final PollingConfig DEFAULTS = new PollingConfig(
            DEFAULT_THREADS,
            DEFAULT_THREADS,
            IdlePolicy.ADAPTIVE,
            DEFAULT_IDLE_SPINS,
            Duration.ofMillis(DEFAULT_MAX_SLEEP_MILLIS),
            List.of());

    /** No thread: the application runs the engine with {@link RdmaRuntime#doWork}. */
    public static final PollingConfig USER_DRIVEN = DEFAULTS.withThreads(0);

    /**
     * Validates the values and copies the list.
     *
     * @param threads number of threads
     * @param maxThreads maximum number of threads
     * @param idleStrategy what a thread does after a duty cycle without work
     * @param idleSpins duty cycles without work before a thread sleeps
     * @param maxSleep longest sleep while time-dependent work exists
     * @param cpus numbers of the processors to which the threads are bound
     */
    public PollingConfig {
        cpus = List.copyOf(cpus);
        if (threads < 0 || threads > MAX_THREADS) {
            throw new RdmaConfigurationException(
                    "polling.threads",
                    threads,
                    "it must be 0 to " + MAX_THREADS,
                    "Use 1, or the number of cores that the process can spare");
        }
        if (maxThreads < threads || maxThreads > MAX_THREADS || (threads == 0 && maxThreads > 0)) {
            throw new RdmaConfigurationException(
                    "polling.threads",
                    threads + " to " + maxThreads,
                    "the maximum must be " + threads + " to " + MAX_THREADS + ", and 0 for an engine without a thread",
                    "Use the same number twice for a fixed number");
        }
        if (maxThreads > threads && !cpus.isEmpty()) {
            throw new RdmaConfigurationException(
                    "polling.threads",
                    "auto",
                    "the number of threads would change, and they are bound to the processors " + cpus + " of"
                            + " rdma.polling.cpus",
                    "Use " + cpus.size() + " threads, or leave rdma.polling.cpus out");
        }
        if (cpus.stream().anyMatch(cpu -> cpu < 0)) {
            throw new RdmaConfigurationException(
                    "polling.cpus",
                    cpus,
                    "processors are numbered from 0",
                    "Use numbers of /proc/cpuinfo, or leave it out");
        }
    }

    /**
     * Returns a copy with another number of threads, which is fixed.
     *
     * @param count number of threads
     * @return the changed copy
     */
    public PollingConfig withThreads(int count) {
        return new PollingConfig(count, count, idleStrategy, idleSpins, maxSleep, cpus);
    }

    /**
     * Returns a copy with one thread, to which the runtime adds others when they are needed: {@code
     * rdma.polling.threads=auto}.
     *
     * @param count maximum number of threads; see {@link #maxThreadsFor}
     * @return the changed copy
     */
    public PollingConfig withMaxThreads(int count) {
        return new PollingConfig(1, count, idleStrategy, idleSpins, maxSleep, cpus);
    }

    /**
     * Returns the maximum number of threads that {@code rdma.polling.threads=auto} uses.
     *
     * @param processors number of processors of the process
     * @return a quarter of the processors, at least 1 and at most {@link #MAX_THREADS}
     */
    public static int maxThreadsFor(int processors) {
        return Math.clamp(processors / PROCESSORS_PER_THREAD, 1, MAX_THREADS);
    }

    /**
     * Returns a copy with another idle policy.
     *
     * @param policy the policy
     * @return the changed copy
     */
    public PollingConfig withIdleStrategy(IdlePolicy policy) {
        return new PollingConfig(threads, maxThreads, policy, idleSpins, maxSleep, cpus);
    }

    /**
     * Returns a copy with other processors to which the threads are bound.
     *
     * @param processors their numbers
     * @return the changed copy
     */
    public PollingConfig withCpus(List<Integer> processors) {
        return new PollingConfig(threads, maxThreads, idleStrategy, idleSpins, maxSleep, processors);
    }

    /**
     * Creates the polling threads.
     *
     * @param name name of the first thread; the others append a hyphen and a number from 1
     * @return one object for each thread, which the runtime starts
     */
    public List<PollingThread> threads(String name) {
        return IntStream.range(0, threads).mapToObj(i -> thread(name, i)).toList();
    }

    /**
     * Creates the polling thread of one engine.
     *
     * @param firstName name of the first thread; the others append a hyphen and their number
     * @param engine number of the engine, from 0
     * @return the object, which the runtime starts
     */
    public PollingThread thread(String firstName, int engine) {
        String name = engine == 0 ? firstName : firstName + "-" + engine;
        return new PollingThread(
                name,
                idleStrategy,
                idleSpins,
                maxSleep,
                cpus.isEmpty() ? PollingThread.ANY_CPU : cpus.get(engine % cpus.size()),
                EngineThread.factory(name, engine));
    }
}
