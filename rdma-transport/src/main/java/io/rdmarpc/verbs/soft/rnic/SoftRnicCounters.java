package io.rdmarpc.verbs.soft.rnic;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** The counters of a software RNIC. Written under its lock; other readers see recent values, not a consistent set. */
public final class SoftRnicCounters {

    private final Map<DropReason, Count> drops = new EnumMap<>(DropReason.class);
    private final List<ShmChannelCounts> channels = new CopyOnWriteArrayList<>();
    private long received;
    private long sent;
    private long retries;
    private long timeouts;
    private long notReady;
    private long completionOverruns;

    SoftRnicCounters() {
        for (DropReason reason : DropReason.values()) {
            drops.put(reason, new Count());
        }
    }

    private static final class Count {
        private long value;
    }

    public void countReceived() {
        received++;
    }

    void countSent() {
        sent++;
    }

    public void countDrop(DropReason reason) {
        count(reason).value++;
    }

    public void countRetry() {
        retries++;
    }

    public void countTimeout() {
        timeouts++;
    }

    public void countNotReady() {
        notReady++;
    }

    void countCompletionOverrun() {
        completionOverruns++;
    }

    /** Adds the counts of the shared-memory channel of a queue pair. */
    public ShmChannelCounts addChannel() {
        ShmChannelCounts counts = new ShmChannelCounts();
        channels.add(counts);
        return counts;
    }

    /** Adds the counts of a closed queue pair to the totals, and removes them. */
    public void endChannel(ShmChannelCounts counts) {
        if (channels.remove(counts)) {
            received += counts.received();
            sent += counts.sent();
        }
    }

    /** Returns the number of packets received from the link, including dropped ones. */
    public long received() {
        return received;
    }

    /** Returns the number of packets that the link accepted. */
    public long sent() {
        return sent;
    }

    public long dropped(DropReason reason) {
        return count(reason).value;
    }

    private Count count(DropReason reason) {
        return Objects.requireNonNull(drops.get(reason));
    }

    public long dropped() {
        return drops.values().stream().mapToLong(count -> count.value).sum();
    }

    /** Returns the number of retransmitted requests or request packets. */
    public long retries() {
        return retries;
    }

    /** Returns the number of response timeouts. */
    public long timeouts() {
        return timeouts;
    }

    /** Returns the number of receiver-not-ready NAKs from peers. */
    public long notReady() {
        return notReady;
    }

    /** Returns the number of completions lost because a completion queue was full. */
    public long completionOverruns() {
        return completionOverruns;
    }

    /** Returns all counters by name. */
    public Map<String, Long> byName() {
        Map<String, Long> all = new TreeMap<>();
        all.put(
                "received",
                received
                        + channels.stream()
                                .mapToLong(ShmChannelCounts::received)
                                .sum());
        all.put(
                "sent",
                sent + channels.stream().mapToLong(ShmChannelCounts::sent).sum());
        all.put("retries", retries);
        all.put("timeouts", timeouts);
        all.put("not_ready", notReady);
        all.put("completion_overruns", completionOverruns);
        drops.forEach((reason, count) -> all.put("drop_" + reason.name().toLowerCase(Locale.ROOT), count.value));
        return all;
    }

    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(", ", "SoftRnicCounters[", "]")
                .add("received=" + received)
                .add("sent=" + sent)
                .add("retries=" + retries)
                .add("timeouts=" + timeouts)
                .add("notReady=" + notReady)
                .add("completionOverruns=" + completionOverruns);
        drops.forEach((reason, count) -> {
            if (count.value > 0) {
                text.add(reason + "=" + count.value);
            }
        });
        return text.toString();
    }
}
