package io.rdmarpc.benchmarks.sessions;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A server process and some client processes, which open their shares of the sessions at the same time and then call at the same
 * time.
 *
 * @param clients how many client processes
 * @param mtuBytes path MTU of all
 * @param outstanding calls outstanding, of all clients together
 * @param seconds of a measurement, after as many to warm up
 */
record SessionsRun(int clients, int mtuBytes, int outstanding, double seconds) {

    /**
     * What one run measured.
     *
     * @param connects sessions opened a second
     * @param calls a second, of all clients together
     * @param client a session at its client
     * @param server a session at the server
     * @param ringBytes the server's receive ring and those of all clients
     */
    record Result(double connects, double calls, Cost client, Cost server, double ringBytes) {}

    /**
     * What a session takes beside the ring, in bytes.
     *
     * @param heap in use after a collection
     * @param registered memory that the NIC may use
     */
    record Cost(double heap, double registered) {

        double bytes() {
            return heap + registered;
        }
    }

    Result measure(int sessions) throws IOException, InterruptedException {
        try (SessionsProcess server = SessionsProcess.start(SessionsServer.class, sessions, mtuBytes)) {
            int port = (int) server.numbers()[0];
            List<SessionsProcess> started = new ArrayList<>();
            try {
                for (int i = 0; i < clients; i++) {
                    started.add(SessionsProcess.start(
                            SessionsClient.class, port, share(sessions, i), mtuBytes, share(outstanding, i), seconds));
                }
                return measure(sessions, server, started);
            } finally {
                for (SessionsProcess client : started) {
                    client.close();
                }
            }
        }
    }

    /** Of so many, as evenly as it goes. */
    int share(int all, int client) {
        return all / clients + (client < all % clients ? 1 : 0);
    }

    private Result measure(int sessions, SessionsProcess server, List<SessionsProcess> started)
            throws IOException, InterruptedException {
        double longest = 0;
        double heap = 0;
        double registered = 0;
        double rings = 0;
        for (int i = 0; i < clients; i++) {
            double[] opened = started.get(i).numbers();
            longest = Math.max(longest, opened[0]);
            heap += opened[1] * share(sessions, i) / sessions;
            registered += opened[2] * share(sessions, i) / sessions;
            rings += opened[3];
        }
        double calls = calls(started);
        server.order();
        double[] ofServer = server.numbers();
        if (ofServer[0] != sessions) {
            throw new IOException("the server has " + ofServer[0] + " sessions instead of " + sessions);
        }
        return new Result(
                sessions / longest,
                calls,
                new Cost(heap, registered),
                new Cost(ofServer[1], ofServer[2]),
                rings + ofServer[3]);
    }

    private static double calls(List<SessionsProcess> started) throws IOException, InterruptedException {
        for (SessionsProcess client : started) {
            client.order();
        }
        double calls = 0;
        for (SessionsProcess client : started) {
            calls += client.numbers()[0];
        }
        return calls;
    }
}
