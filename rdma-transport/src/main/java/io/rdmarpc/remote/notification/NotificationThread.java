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

/** Waits for the notifications of all peers. The thread starts when the first region with notifications is lent. */
public final class NotificationThread implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(NotificationThread.class.getName());
    private static final FailureLog FAILURES = new FailureLog(LOG);
    private static final long PAUSE_NANOS = 1_000_000;
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

    private final CompletionChannel channel;
    private final Consumer<NotificationQueue.Notification> listener;
    private final String name;
    private final Set<NotificationSource> queues = ConcurrentHashMap.newKeySet();
    private final Queue<Pending> awaited = new ConcurrentLinkedQueue<>();
    private volatile boolean running = true;
    private volatile @Nullable Thread thread;

    /**
     * Creates the object; {@link #watch} starts the thread.
     *
     * @param channel the channel of the queues; closed with this object
     * @param listener handles notifications
     * @param name the name of the thread
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

    /** Starts to watch a queue. */
    public synchronized void watch(NotificationSource queue) {
        if (queues.add(queue)) {
            queue.arm();
            channel.wakeUp();
        }
        if (thread == null && running) {
            thread = Thread.ofPlatform().name(name).daemon().start(this::run);
        }
    }

    /** A task that runs after the listeners have handled the pending notifications of a queue. */
    private record Pending(NotificationSource queue, Runnable then) {}

    /**
     * Runs a task on this thread after the listeners have handled all notifications that a queue has now.
     *
     * @return false if the queue is not watched; then the task does not run
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
                FAILURES.report("The notification thread of remote memory failed and continues", e);
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
                    "The device does not report notifications. Remote memory polls for them once a second",
                    e);
            LockSupport.parkNanos(LONGEST_WAIT.toNanos());
        }
    }

    private void completePending() {
        for (Pending next = awaited.poll(); next != null; next = awaited.poll()) {
            List<NotificationQueue.Notification> notifications = new ArrayList<>();
            attempt(next.queue(), queue -> queue.pollAll(notifications));
            notifications.forEach(this::deliver);
            run(next.then());
        }
    }

    private static void run(Runnable then) {
        try {
            then.run();
        } catch (Throwable e) {
            FAILURES.report("A task after the notifications of one peer failed", e);
        }
    }

    /** Polls all queues and then runs the listeners without a lock; returns the number of completed receives. */
    private int pollAll() {
        int[] count = new int[1];
        List<NotificationQueue.Notification> notifications = new ArrayList<>();
        for (NotificationSource each : queues) {
            attempt(each, queue -> count[0] += queue.poll(notifications));
        }
        notifications.forEach(this::deliver);
        return count[0];
    }

    /** Runs a task on a queue. If the device fails, that queue is no longer watched; the others are not affected. */
    private void attempt(NotificationSource queue, Consumer<NotificationSource> task) {
        try {
            task.accept(queue);
        } catch (RuntimeException | Error e) {
            queues.remove(queue);
            LOG.log(
                    System.Logger.Level.ERROR,
                    "The device failed. Notifications of one peer are no longer delivered",
                    e);
        }
    }

    private void deliver(NotificationQueue.Notification notification) {
        try {
            listener.accept(notification);
        } catch (RuntimeException | Error e) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "A listener of remote memory threw an exception. Catch exceptions in the listener",
                    e);
        }
    }

    /** Stops the thread and closes the channel. All queues must be closed before. */
    @Override
    public void close() {
        Thread stopping;
        synchronized (this) {
            running = false;
            stopping = thread;
        }
        channel.wakeUp();
        if (stopping != null && !isCurrent() && !Uninterrupted.join(stopping, STOP_TIMEOUT)) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "The notification thread of remote memory did not stop in time: a listener blocks it");
        }
        channel.close();
    }
}
