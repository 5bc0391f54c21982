package io.rdmarpc.benchmarks.probe;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** What the first process tells the second, line by line. When the first is gone the second ends, whatever it waits for. */
final class Orders {

    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private volatile int received;
    private int taken;

    private Orders() {}

    static Orders ofParent() {
        Orders orders = new Orders();
        Thread.ofPlatform().daemon().name("orders").start(orders::read);
        return orders;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes.
    private void read() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                // First: who has taken the line must not find it counted later, as if it were another one.
                received++;
                lines.add(line);
            }
        } catch (IOException e) {
            System.err.println("no more orders: " + e.getMessage());
        }
        Runtime.getRuntime().halt(0);
    }

    String next() throws InterruptedException {
        taken++;
        return lines.take();
    }

    /** Whether an order waits; cheap enough for a polling thread. */
    boolean hasNext() {
        return received != taken;
    }

    void answer(Object line) {
        System.out.println(line);
        System.out.flush();
    }
}
