package io.rdmarpc.demo.live;

import io.rdmarpc.demo.live.load.LoadSettings;
import io.rdmarpc.demo.live.side.HttpSide;
import io.rdmarpc.demo.live.side.RdmaSide;
import java.time.Duration;
import java.util.function.DoubleFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/** Starts the load after the servers listen, and stops it before they stop. */
final class LiveLoad implements SmartLifecycle {

    private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

    private final Supplier<HttpSide> httpStart;
    private final DoubleFunction<RdmaSide> rdmaStart;
    private final LoadSettings first;
    private final Duration warmUpLimit;
    private final Feed feed;
    private volatile @Nullable Work work;

    LiveLoad(
            Supplier<HttpSide> httpStart,
            DoubleFunction<RdmaSide> rdmaStart,
            LoadSettings first,
            Duration warmUpLimit,
            Feed feed) {
        this.httpStart = httpStart;
        this.rdmaStart = rdmaStart;
        this.first = first;
        this.warmUpLimit = warmUpLimit;
        this.feed = feed;
    }

    private record Work(HttpSide http, LoadRunner runner, CallTracer tracer, Thread thread) {}

    LoadRunner runner() {
        return working().runner();
    }

    CallTracer tracer() {
        return working().tracer();
    }

    private Work working() {
        Work now = work;
        if (now == null) {
            throw new ResponseStatusException(
                    HttpStatus.SERVICE_UNAVAILABLE, "the demo is starting or stopping; try again in a few seconds");
        }
        return now;
    }

    @Override
    public void start() {
        HttpSide http = httpStart.get();
        LoadRunner runner = new LoadRunner(http, rdmaStart, first, warmUpLimit, feed::publish);
        Thread thread = Thread.ofPlatform().name("demo-load").daemon().start(runner);
        work = new Work(http, runner, new CallTracer(runner), thread);
    }

    @Override
    public void stop() {
        Work ending = work;
        work = null;
        if (ending != null) {
            ending.runner().end();
            join(ending.thread());
            ending.http().close();
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join(STOP_LIMIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return work != null;
    }

    /** Returns the highest phase, so that the load starts last and stops first. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
