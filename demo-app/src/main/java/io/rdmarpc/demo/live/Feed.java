package io.rdmarpc.demo.live;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Publishes the snapshots to every open page. Each snapshot is serialized once. A page that reads too slowly misses
 * snapshots, so that the queue of a page stays bounded. Thread-safe.
 */
@Component
@Profile("page")
class Feed {

    static final int HISTORY = 120;

    private static final String END = "";
    private static final int MOST_PAGES = 32;

    private final JsonMapper json;
    private final Deque<Snapshot.Point> history = new ArrayDeque<>();
    private final List<Reader> readers = new CopyOnWriteArrayList<>();
    private @Nullable String latest;
    private boolean ended;

    Feed(JsonMapper json) {
        this.json = json;
    }

    synchronized void publish(Snapshot snapshot) {
        if (snapshot.phase().isActive()) {
            if (history.size() == HISTORY) {
                history.removeFirst();
            }
            history.addLast(snapshot.point());
        }
        String event = event("snapshot", snapshot);
        latest = event;
        readers.forEach(reader -> reader.offer(event));
    }

    private String event(String name, Object data) {
        return "event: " + name + "\ndata: " + json.writeValueAsString(data) + "\n\n";
    }

    /**
     * Opens a feed for a page, which begins with the history and the latest snapshot. Returns null if too many are
     * open.
     */
    synchronized @Nullable Reader open() {
        if (readers.size() >= MOST_PAGES || ended) {
            return null;
        }
        Reader reader = new Reader();
        reader.offer(event("history", new ArrayList<>(history)));
        if (latest != null) {
            reader.offer(latest);
        }
        readers.add(reader);
        return reader;
    }

    /** Ends all feeds, so that the web server does not wait for open pages when it stops. */
    @EventListener(ContextClosedEvent.class)
    synchronized void end() {
        ended = true;
        readers.forEach(reader -> reader.offer(END));
    }

    /** The queue of events that one page has not read yet. */
    final class Reader implements AutoCloseable {

        private static final int AHEAD = 4;

        private final BlockingQueue<String> events = new ArrayBlockingQueue<>(AHEAD);

        private void offer(String event) {
            while (!events.offer(event)) {
                events.poll();
            }
        }

        /** Returns the next event, a comment after 10 seconds without one, or null at the end. */
        @Nullable
        String next() throws InterruptedException {
            String event = events.poll(10, TimeUnit.SECONDS);
            if (event == null) {
                return ": keep-alive\n\n";
            }
            return event.isEmpty() ? null : event;
        }

        @Override
        public void close() {
            readers.remove(this);
        }
    }
}
