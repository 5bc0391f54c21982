package io.rdmarpc.async;

import io.rdmarpc.async.poll.CompletionPoller;
import io.rdmarpc.async.poll.EventPoller;
import io.rdmarpc.async.poll.ManualPoller;
import io.rdmarpc.async.poll.NodeThread;
import io.rdmarpc.async.poll.SpinPoller;
import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.concurrent.FailureRate;
import io.rdmarpc.concurrent.Uninterrupted;
import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A node's completion queue and whoever polls it. */
final class Polling {

    private static final System.Logger LOG = System.getLogger(Polling.class.getName());
    private static final Duration POLLER_END = Duration.ofSeconds(5);
    private static final int MOST_FAILURES = 16;
    private static final Duration FAILURES_COUNT_FOR = Duration.ofSeconds(1);
    private static final long PAUSE_NANOS = 1_000_000;

    private final FailureLog failures = new FailureLog(LOG);
    private final FailureRate rate = new FailureRate(MOST_FAILURES, FAILURES_COUNT_FOR);

    private final PollingMode mode;
    private final String device;
    private final @Nullable CompletionChannel channel;
    private final CompletionQueue cq;
    private final CompletionReaper reaper;
    private final CompletionPoller poller;
    private final Consumer<RdmaException> onBroken;
    private @Nullable Thread thread;
    private volatile boolean stopping;

    /**
     * Makes the queue; nobody polls yet.
     *
     * @param context its device
     * @param config the size and who polls
     * @param links whose completions come
     * @param onBroken told when polling fails for good
     */
    Polling(RdmaContext context, RdmaNodeConfig config, ConnectionTable links, Consumer<RdmaException> onBroken) {
        this.device = context.deviceName();
        this.channel = createChannel(context, config.polling());
        this.mode = actual(config.polling());
        int entries =
                Math.min(config.queues().completions(), context.attributes().maxCqe());
        this.cq = channel == null
                ? context.createCompletionQueue(entries)
                : context.createCompletionQueue(entries, channel);
        this.onBroken = onBroken;
        this.reaper = new CompletionReaper(cq, links, device, config.callbacks(), onBroken);
        this.poller = createPoller();
    }

    private static @Nullable CompletionChannel createChannel(RdmaContext context, PollingMode wanted) {
        if (wanted != PollingMode.EVENTS && wanted != PollingMode.AUTO) {
            return null;
        }
        try {
            return context.createCompletionChannel();
        } catch (RdmaVerbsException e) {
            if (wanted == PollingMode.AUTO && e.errno() == Errno.EOPNOTSUPP) {
                return null;
            }
            throw e;
        }
    }

    private PollingMode actual(PollingMode wanted) {
        if (wanted != PollingMode.AUTO) {
            return wanted;
        }
        return channel == null ? PollingMode.THREAD : PollingMode.EVENTS;
    }

    private CompletionPoller createPoller() {
        if (channel != null) {
            return new EventPoller(reaper, channel, device);
        }
        return mode == PollingMode.MANUAL ? new ManualPoller() : new SpinPoller(reaper);
    }

    /** Starts the thread, when there is to be one. */
    void start(NodeCore node) {
        if (mode != PollingMode.MANUAL) {
            thread = new NodeThread(node, "poller-" + device, this::run);
            thread.start();
        }
    }

    private void run() {
        boolean goesOn = true;
        while (goesOn) {
            try {
                poller.run();
                goesOn = false;
            } catch (Throwable e) {
                goesOn = continueAfter(e);
            }
        }
    }

    /** One failure may be chance. Where they do not end, or the device refuses, operations end with the reason. */
    private boolean continueAfter(Throwable failure) {
        if (stopping) {
            return false;
        }
        failures.report("polling " + device + " failed", failure);
        if (failure instanceof RdmaException || rate.add(System.nanoTime())) {
            onBroken.accept(new RdmaException("Polling " + device + " failed: " + failure, failure));
            return false;
        }
        LockSupport.parkNanos(this, PAUSE_NANOS);
        return true;
    }

    PollingMode mode() {
        return mode;
    }

    CompletionQueue queue() {
        return cq;
    }

    CompletionReaper reaper() {
        return reaper;
    }

    /** Tells that operations were submitted. */
    void wake() {
        poller.wake();
    }

    /** Polls no more, also where a callback keeps the thread. */
    void stop() {
        stopping = true;
        poller.stop();
        if (thread != null && !Uninterrupted.join(thread, POLLER_END)) {
            LOG.log(System.Logger.Level.WARNING, "a callback keeps the thread that polls {0}", device);
        }
        reaper.close();
    }

    /** Frees the queue; no queue pair is left. */
    void close() {
        cq.close();
        if (channel != null) {
            channel.close();
        }
    }
}
