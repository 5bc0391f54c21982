package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that call over a faulty network while others are killed and restarted. The test then compares the calls
 * that the server ran with the responses that the clients received. For a longer test:
 * {@code -Drdma.test.soak-seconds=600}.
 */
@Timeout(7_200)
@Tag("size")
class SoakTest {

    private static final Duration TIME = Duration.ofSeconds(Long.getLong("rdma.test.soak-seconds", 20));
    private static final Duration CLIENT_LIFE = Duration.ofSeconds(5);
    private static final Duration SERVER_LIFE = Duration.ofSeconds(Math.clamp(TIME.toSeconds() / 3, 6, 30));
    private static final int CLIENTS = 4;
    private static final int MAX_MORE_FILES = 8;
    /** In a shorter time, a JVM has not reached its final size. */
    private static final boolean SETTLES = TIME.toSeconds() >= 60;

    private static final double MAX_MEMORY_FACTOR = SETTLES ? 1.15 : 1.5;
    private static final int MAX_MORE_MEGABYTES = SETTLES ? 16 : 100;
    /** Otherwise a heap that fills up between two collections looks like a memory leak. */
    private static final List<String> WHOLE_HEAP = List.of("-Xms256m", "-XX:+AlwaysPreTouch");

    private static final String[] FAULTS = {
        "soft.shared-memory.enabled=false",
        "soft.faults.loss=0.01",
        "soft.faults.duplicate=0.01",
        "soft.faults.reorder=0.01"
    };

    @TempDir
    private Path directory;

    private final int port = Runtimes.stablePort();
    private final JavaProcess[] clients = new JavaProcess[CLIENTS];
    private final List<Path> logs = new ArrayList<>();
    private final List<String> reports = new ArrayList<>();
    private JavaProcess server;
    private int kills;
    private int restarts;

    @AfterEach
    void close() {
        server.close();
        Arrays.stream(clients).filter(client -> client != null).forEach(JavaProcess::close);
    }

    private void startServer() throws IOException {
        server = start("server", String.valueOf(port), journal().toString());
        server.await("LISTENING");
    }

    private Path journal() {
        return directory.resolve("journal");
    }

    /** The ids of different processes are distinct. */
    private void startClient(int number) throws IOException {
        Path log = directory.resolve("client" + logs.size());
        logs.add(log);
        clients[number] =
                start("client", String.valueOf(port), log.toString(), String.valueOf((long) logs.size() << 40));
        clients[number].await("CALLING");
    }

    private static JavaProcess start(String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of(FAULTS));
        return JavaProcess.start(WHOLE_HEAP, SoakProcess.class, all.toArray(String[]::new));
    }

    @Test
    @DisplayName(
            "SM-12 LO-01 LO-02 LO-03 LO-04 FL-01 FL-02 4 processes call over a faulty network, some are killed, the server"
                    + " is restarted: no call runs twice, each response is right and its call was run, each ends")
    void whenProcessesAreKilledAndRestartedThenNoCallIsLostOrRunTwice() throws IOException, InterruptedException {
        startServer();
        for (int i = 0; i < CLIENTS; i++) {
            startClient(i);
        }
        live();
        for (JavaProcess client : clients) {
            reports.add(end(client));
        }
        server.endInput();
        String served = server.await("SERVED");
        System.out.println("SoakTest " + TIME.toSeconds() + " s, " + kills + " clients killed, " + restarts
                + " servers restarted; the last clients: " + reports + "; the last server: " + served);

        checkIds();
        for (Path log : logs) {
            assertThat(wrongOf(log)).as("violations in %s", log).isEmpty();
        }
        assertThat(reports).allMatch(report -> field(report, "wrong") == 0);
        assertThat(reports)
                .allMatch(report -> field(report, "started") == field(report, "completed") + field(report, "failed"));
        assertThat(field(served, "fds"))
                .as("open files of the server, compared with those before its first client")
                .isLessThanOrEqualTo(field(served, "fds-before") + MAX_MORE_FILES);
        for (String what : List.of("registered", "outside-heap", "heap")) {
            checkFlat(served, what);
            checkFlat(reports.getFirst(), what);
        }
        // The first client was never killed: after all that happened it must not hold additional files.
        assertThat(field(reports.getFirst(), "fds"))
                .as("open files of the oldest client, compared with those of the youngest")
                .isLessThanOrEqualTo(field(reports.get(youngest()), "fds") + MAX_MORE_FILES);
    }

    /** Also reads the file of a killed client. */
    private static List<String> wrongOf(Path log) throws IOException {
        Path wrong = SoakProcess.wrongOf(log);
        return Files.exists(wrong) ? Files.readAllLines(wrong) : List.of();
    }

    /** Caches are full after a quarter of the process's life; later growth is small. */
    private static void checkFlat(String report, String what) {
        assertThat((double) field(report, what + "-late"))
                .as("megabytes %s in the last quarter of %s", what, report)
                .isLessThanOrEqualTo(field(report, what + "-early") * MAX_MEMORY_FACTOR + MAX_MORE_MEGABYTES);
    }

    private int youngest() {
        return kills == 0 ? 1 : 1 + (kills - 1) % (CLIENTS - 1);
    }

    private void live() throws IOException, InterruptedException {
        long start = System.nanoTime();
        long nextKill = CLIENT_LIFE.toNanos();
        long nextRestart = SERVER_LIFE.toNanos();
        for (long now = 0; now < TIME.toNanos(); now = System.nanoTime() - start) {
            if (now >= nextKill) {
                nextKill += CLIENT_LIFE.toNanos();
                int victim = 1 + kills++ % (CLIENTS - 1);
                clients[victim].kill();
                startClient(victim);
            }
            if (now >= nextRestart) {
                nextRestart += SERVER_LIFE.toNanos();
                restarts++;
                server.kill();
                startServer();
            }
            assertThat(server.isAlive()).isTrue();
            assertThat(clients).allMatch(JavaProcess::isAlive);
            Thread.sleep(50);
        }
    }

    private static String end(JavaProcess client) throws IOException, InterruptedException {
        client.endInput();
        return client.await("CALLED");
    }

    private static long field(String report, String name) {
        List<String> words = List.of(report.split(" ", -1));
        return Long.parseLong(words.get(words.indexOf(name) + 1));
    }

    private void checkIds() throws IOException {
        long[] run = SoakProcess.Ids.read(journal());
        Set<Long> executed = new HashSet<>();
        long twice = Arrays.stream(run).filter(id -> !executed.add(id)).count();
        assertThat(twice).as("calls that were run twice, of %d", run.length).isZero();
        int answered = 0;
        for (Path log : logs) {
            long[] ids = Files.exists(log) ? SoakProcess.Ids.read(log) : new long[0];
            answered += ids.length;
            assertThat(Arrays.stream(ids).filter(id -> !executed.contains(id)).count())
                    .as("calls with a response that were not run, of %d in %s", ids.length, log)
                    .isZero();
        }
        System.out.println("SoakTest " + run.length + " calls were run, " + answered + " have a response");
        assertThat(answered).isPositive();
    }
}
