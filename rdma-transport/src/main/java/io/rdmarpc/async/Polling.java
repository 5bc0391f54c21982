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

/** A node's completion queue and its poller. */
final class Polling {

    private static final System.Logger LOG = System.getLogger(Polling.class.getName());
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);
    private static final int MAX_FAILURES = 16;
    private static final Duration FAILURE_WINDOW = Duration.ofSeconds(1);
    private static final long PAUSE_NANOS = 1_000_000;

    private final FailureLog failures = new FailureLog(LOG);
    private final FailureRate rate = new FailureRate(MAX_FAILURES, FAILURE_WINDOW);

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
     * Creates the queue. Polling begins with {@link #start}.
     *
     * @param context the device
     * @param config the queue size and the polling mode
     * @param links the connections that use the queue
     * @param onBroken receives the failure when polling has failed permanently
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

    /** Starts the polling thread unless the mode is {@link PollingMode#MANUAL}. */
    void start(NodeCore node) {
        if (mode != PollingMode.MANUAL) {
            thread = new NodeThread(node, "poller-" + device, this::run);
            thread.start();
        }
    }

    private void run() {
        boolean again = true;
        while (again) {
            try {
                poller.run();
                again = false;
            } catch (Throwable e) {
                again = continueAfter(e);
            }
        }
    }

    /**
     * Returns whether to poll again. After repeated failures or a device error, polling ends and all operations fail
     * with this reason.
     */
    private boolean continueAfter(Throwable failure) {
        if (stopping) {
            return false;
        }
        failures.report("Polling " + device + " failed", failure);
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

    /** Notifies the poller that operations were submitted. */
    void wake() {
        poller.wake();
    }

    /** Stops polling, even if a callback blocks the polling thread. */
    void stop() {
        stopping = true;
        poller.stop();
        if (thread != null && !Uninterrupted.join(thread, STOP_TIMEOUT)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The polling thread of {0} did not stop in time: a callback blocks it",
                    device);
        }
        reaper.close();
    }

    /** Destroys the queue after all queue pairs were destroyed. */
    void close() {
        cq.close();
        if (channel != null) {
            channel.close();
        }
    }
}
