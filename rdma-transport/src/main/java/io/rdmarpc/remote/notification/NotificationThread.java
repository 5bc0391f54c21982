package io.rdmarpc.remote.notification;

import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.concurrent.Uninterrupted;
import io.rdmarpc.verbs.CompletionChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Waits for notices of all peers. Started when the first region with notices is lent. */
public final class NotificationThread implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(NotificationThread.class.getName());
    private static final FailureLog FAILURES = new FailureLog(LOG);
    private static final long PAUSE_NANOS = 1_000_000;
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

    private final CompletionChannel channel;
    private final Consumer<NotificationQueue.Notification> listener;
    private final String name;
    private final Set<NotificationSource> queues = ConcurrentHashMap.newKeySet();
    private final Queue<Pending> awaited = new ConcurrentLinkedQueue<>();
    private volatile boolean running = true;
    private volatile @Nullable Thread thread;

    /**
     * Describes the thread.
     *
     * @param channel of the queues; closed with this
     * @param listener takes notices
     * @param name of the thread
     */
    public NotificationThread(
            CompletionChannel channel, Consumer<NotificationQueue.Notification> listener, String name) {
        this.channel = channel;
        this.listener = listener;
        this.name = name;
    }

    public CompletionChannel channel() {
        return channel;
    }

    /** Watches a queue from now on. */
    public synchronized void watch(NotificationSource queue) {
        if (queues.add(queue)) {
            queue.arm();
            channel.wakeUp();
        }
        if (thread == null && running) {
            thread = Thread.ofPlatform().name(name).daemon().start(this::run);
        }
    }

    /** What is to be done when a queue is empty. */
    private record Pending(NotificationSource queue, Runnable then) {}

    /**
     * Does something on this thread when the listeners were told of all that a queue has by now.
     *
     * @return false when it is not watched: then there is nothing to tell, and nothing is done
     */
    public synchronized boolean afterPending(NotificationSource queue, Runnable then) {
        if (!running || !queues.contains(queue)) {
            return false;
        }
        awaited.add(new Pending(queue, then));
        channel.wakeUp();
        return true;
    }

    public boolean isCurrent() {
        return Thread.currentThread().equals(thread);
    }

    public void forget(NotificationSource queue) {
        queues.remove(queue);
    }

    private void run() {
        while (running) {
            try {
                runOnce();
            } catch (Throwable e) {
                FAILURES.report("the thread of remote memory's notices failed, and goes on", e);
                LockSupport.parkNanos(this, PAUSE_NANOS);
            }
        }
        completePending();
    }

    private void runOnce() {
        completePending();
        if (pollAll() == 0) {
            queues.forEach(queue -> attempt(queue, NotificationSource::arm));
            if (pollAll() == 0 && running && awaited.isEmpty()) {
                waitForMore();
            }
        }
    }

    private void waitForMore() {
        try {
            channel.await(LONGEST_WAIT);
        } catch (RuntimeException e) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "the device does not tell of notices; they are looked for once a second",
                    e);
            LockSupport.parkNanos(LONGEST_WAIT.toNanos());
        }
    }

    private void completePending() {
        for (Pending next = awaited.poll(); next != null; next = awaited.poll()) {
            List<NotificationQueue.Notification> notices = new ArrayList<>();
            attempt(next.queue(), queue -> queue.pollAll(notices));
            notices.forEach(this::deliver);
            run(next.then());
        }
    }

    private static void run(Runnable then) {
        try {
            then.run();
        } catch (Throwable e) {
            FAILURES.report("what follows the notices of one peer failed", e);
        }
    }

    /** No lock is held while a listener runs. */
    private int pollAll() {
        int[] count = new int[1];
        List<NotificationQueue.Notification> notices = new ArrayList<>();
        for (NotificationSource each : queues) {
            attempt(each, queue -> count[0] += queue.poll(notices));
        }
        notices.forEach(this::deliver);
        return count[0];
    }

    /** A queue that its device fails is given up, and takes none of the others with it. */
    private void attempt(NotificationSource queue, Consumer<NotificationSource> task) {
        try {
            task.accept(queue);
        } catch (RuntimeException | Error e) {
            queues.remove(queue);
            LOG.log(System.Logger.Level.ERROR, "the device fails: the notices of one peer are not told any more", e);
        }
    }

    private void deliver(NotificationQueue.Notification notice) {
        try {
            listener.accept(notice);
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, "a listener of remote memory threw; it must not", e);
        }
    }

    /** Stops it and closes the channel; no queue is left. */
    @Override
    public void close() {
        Thread stopping;
        synchronized (this) {
            running = false;
            stopping = thread;
        }
        channel.wakeUp();
        if (stopping != null && !isCurrent() && !Uninterrupted.join(stopping, STOP_LIMIT)) {
            LOG.log(System.Logger.Level.ERROR, "a listener of remote memory does not return");
        }
        channel.close();
    }
}
