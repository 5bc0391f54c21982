package io.rdmarpc.rpc.runtime;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.StringTokenizer;
import java.util.concurrent.TimeUnit;

/**
 * Measures how many processors had no work: those of the host by {@code /proc/stat}, and in a container with fewer
 * processors those that this process did not use. One thread only.
 */
final class IdleProcessors {

    /** Unit of the times in {@code /proc/stat}: a hundredth of a second on all architectures (proc_stat(5)). */
    private static final double TICKS_PER_SECOND = 100;

    /** A sample that is older is not compared with. */
    private static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The first line has the sums of all processors; it is at most some 200 bytes long. */
    private static final int FIRST_LINE_BYTES = 256;

    /** Position of the idle time in the first line, after the name and the times of user, nice and system. */
    private static final int IDLE_FIELD = 4;

    /** Processor times in seconds. */
    private record Sample(long nanos, double hostIdle, double used) {}

    private final Path stat;
    private Sample last = new Sample(System.nanoTime() - 2 * MAX_AGE_NANOS, 0, 0);

    IdleProcessors(Path stat) {
        this.stat = stat;
    }

    /**
     * Returns the number of idle processors since the last call.
     *
     * @return a number from 0; 0 if the last call was more than a second ago, and if the host does not report it
     */
    double sinceLastCall() {
        Sample before = last;
        Sample now = new Sample(System.nanoTime(), hostIdleSeconds(), usedSeconds());
        last = now;
        if (now.nanos() - before.nanos() > MAX_AGE_NANOS || now.hostIdle() < 0) {
            return 0;
        }
        double seconds = (now.nanos() - before.nanos()) / (double) TimeUnit.SECONDS.toNanos(1);
        double ofHost = (now.hostIdle() - before.hostIdle()) / seconds;
        double own = Runtime.getRuntime().availableProcessors() - (now.used() - before.used()) / seconds;
        return Math.max(0, Math.min(ofHost, own));
    }

    /** Returns the idle time of all processors since the host was started, -1 if it is not known. */
    private double hostIdleSeconds() {
        ByteBuffer bytes = ByteBuffer.allocate(FIRST_LINE_BYTES);
        try (FileChannel channel = FileChannel.open(stat, StandardOpenOption.READ)) {
            int _ = channel.read(bytes);
            String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII);
            StringTokenizer fields = new StringTokenizer(text);
            for (int i = 0; i < IDLE_FIELD; i++) {
                String _ = fields.nextToken();
            }
            return Long.parseLong(fields.nextToken()) / TICKS_PER_SECOND;
        } catch (IOException | NumberFormatException | NoSuchElementException e) {
            return -1;
        }
    }

    private static double usedSeconds() {
        Duration used = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
        return used.toNanos() / (double) TimeUnit.SECONDS.toNanos(1);
    }
}
