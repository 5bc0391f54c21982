package io.rdmarpc.benchmarks.probe;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Requests of the first process, one per line. The second process halts at the end of its input, even during a run. */
final class ProbeRequests {

    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private volatile int received;
    private int taken;

    private ProbeRequests() {}

    static ProbeRequests ofParent() {
        ProbeRequests requests = new ProbeRequests();
        Thread.ofPlatform().daemon().name("requests").start(requests::read);
        return requests;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // only one thread writes
    private void read() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                // Increments before it adds, so that next() does not return a line that hasNext() later counts as a new
                // one.
                received++;
                lines.add(line);
            }
        } catch (IOException e) {
            System.err.println("cannot read requests: " + e.getMessage());
        }
        Runtime.getRuntime().halt(0);
    }

    String next() throws InterruptedException {
        taken++;
        return lines.take();
    }

    /** Returns whether a request waits. Costs one volatile read, so that a polling thread may call it. */
    boolean hasNext() {
        return received != taken;
    }

    void respond(Object line) {
        System.out.println(line);
        System.out.flush();
    }
}
