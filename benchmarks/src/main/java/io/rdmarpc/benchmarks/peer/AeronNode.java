package io.rdmarpc.benchmarks.peer;

import io.aeron.Aeron;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.AgentInvoker;
import org.jspecify.annotations.Nullable;

/** The Aeron objects of one process: a client library and optionally a driver. The thread that uses them runs both. */
final class AeronNode implements AutoCloseable {

    /** Timeout of driver and client, because nothing runs them between measurements. */
    private static final long PATIENCE_SECONDS = 300;

    private final @Nullable MediaDriver driver;
    private final @Nullable AgentInvoker driverInvoker;
    private final Aeron aeron;
    private final AgentInvoker conductor;

    private AeronNode(@Nullable MediaDriver driver, Path directory) {
        this.driver = driver;
        this.driverInvoker = driver == null ? null : driver.sharedAgentInvoker();
        Aeron.Context context = new Aeron.Context()
                .aeronDirectoryName(directory.toString())
                .useConductorAgentInvoker(true)
                .driverTimeoutMs(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        if (driverInvoker != null) {
            context.driverAgentInvoker(driverInvoker);
        }
        this.aeron = Aeron.connect(context);
        this.conductor = aeron.conductorAgentInvoker();
    }

    static Path newDirectory() throws IOException {
        Path memory = Path.of("/dev/shm");
        return Files.createTempDirectory(
                Files.isDirectory(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir")), "aeron-benchmark-");
    }

    static AeronNode withDriver(AeronMedia media, Path directory) {
        MediaDriver.Context context = media.configure(new MediaDriver.Context())
                .aeronDirectoryName(directory.toString())
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .threadingMode(ThreadingMode.INVOKER)
                .clientLivenessTimeoutNs(TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS))
                .imageLivenessTimeoutNs(TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS))
                .publicationUnblockTimeoutNs(TimeUnit.SECONDS.toNanos(2 * PATIENCE_SECONDS))
                .publicationConnectionTimeoutNs(TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
        return new AeronNode(MediaDriver.launch(context), directory);
    }

    static AeronNode withoutDriver(Path directory) {
        return new AeronNode(null, directory);
    }

    Aeron aeron() {
        return aeron;
    }

    void invokeDriver() {
        if (driverInvoker != null) {
            driverInvoker.invoke();
        }
    }

    /** Runs the conductors, which need to run only from time to time. */
    void invokeConductor() {
        invokeDriver();
        conductor.invoke();
    }

    @Override
    public void close() {
        aeron.close();
        if (driver != null) {
            driver.close();
        }
    }
}
