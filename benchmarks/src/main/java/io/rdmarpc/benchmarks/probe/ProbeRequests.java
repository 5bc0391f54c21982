package io.rdmarpc.benchmarks.probe;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Requests of the first process, one a line. The second process halts at the end of the input, whatever it waits for. */
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

    @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes.
    private void read() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                // Counted before it is added: the thread that takes it must not count it as another one later.
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

    /** Returns whether a request waits. Costs a volatile read, so a polling thread may call it. */
    boolean hasNext() {
        return received != taken;
    }

    void answer(Object line) {
        System.out.println(line);
        System.out.flush();
    }
}
