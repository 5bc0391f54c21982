package io.rdmarpc.async;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.connect.ConnectionSettings;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;

/** Another process with a node. It offers memory, echoes one message per connection, and keeps its connections open. */
final class AsyncPeer implements AutoCloseable {

    static final int REGION_BYTES = 4096;

    /** The longest RNR NAK delay that a responder can request. */
    private static final int RNR_TIMER_655_MS = 0;

    private final Process process;
    private final InetSocketAddress address;
    private final RemoteMemoryRange region;

    private AsyncPeer(Process process, InetSocketAddress address, RemoteMemoryRange region) {
        this.process = process;
        this.address = address;
        this.region = region;
    }

    /**
     * Runs in the other process.
     *
     * @param args the provider and its options as key=value
     */
    public static void main(String[] args) {
        RdmaNode node = RdmaNode.open(config(args));
        LocalRegion offered =
                node.allocate(REGION_BYTES, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);
        offered.slice().put("from another process".getBytes(StandardCharsets.UTF_8));
        RdmaListener listener = node.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        System.out.println(listener.address().getPort() + " "
                + HexFormat.of().formatHex(offered.remote().encode()));
        while (ProcessHandle.current().parent().isPresent()) {
            RdmaConnection connection = listener.accept();
            LocalSlice message = node.allocate(64).slice();
            Thread.ofVirtual().start(() -> echo(connection, message));
        }
    }

    private static void echo(RdmaConnection connection, LocalSlice message) {
        try {
            Received received = connection.receive(message).join();
            connection.send(message.slice(0, received.length())).join();
        } catch (CompletionException e) {
            // The other side may end the connection at any time.
        }
    }

    private static RdmaNodeConfig config(String... args) {
        Map<String, String> options = new HashMap<>();
        for (int i = 1; i < args.length; i++) {
            int equals = args[i].indexOf('=');
            options.put(args[i].substring(0, equals), args[i].substring(equals + 1));
        }
        // An emulated machine is slow at first use of a code path, posting a receive included.
        ConnectionSettings settings = RdmaNodeConfig.DEFAULTS.connection();
        ConnectionSettings.Retries usual = settings.retries();
        return RdmaNodeConfig.DEFAULTS
                .withProvider(args[0], options)
                .withConnection(settings.withRetries(new ConnectionSettings.Retries(
                        usual.timeout(), usual.retryCount(), usual.rnrRetry(), RNR_TIMER_655_MS)))
                .withTimeouts(Duration.ofSeconds(60), Duration.ofSeconds(20));
    }

    /** Starts the other process and waits until it listens. */
    static AsyncPeer start(String... args) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        classPath(),
                        AsyncPeer.class.getName())
                .redirectError(Redirect.INHERIT);
        builder.command().addAll(List.of(args));
        Process process = builder.start();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            if (line == null) {
                throw new IOException("the other process ended before it listened");
            }
            String[] fields = line.split(" ", -1);
            return new AsyncPeer(
                    process,
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(fields[0])),
                    RemoteMemoryRange.decode(HexFormat.of().parseHex(fields[1])));
        }
    }

    /** Surefire puts the module's classes on the module path; a plain child takes both as its class path. */
    private static String classPath() {
        String modulePath = System.getProperty("jdk.module.path", "");
        return location(AsyncPeer.class)
                + File.pathSeparator
                + location(RdmaNode.class)
                + (modulePath.isEmpty() ? "" : File.pathSeparator + modulePath);
    }

    private static String location(Class<?> type) {
        return Path.of(URI.create(
                        type.getProtectionDomain().getCodeSource().getLocation().toString()))
                .toString();
    }

    InetSocketAddress address() {
        return address;
    }

    RemoteMemoryRange region() {
        return region;
    }

    /** Kills the process, which sends no GOODBYE. */
    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        kill();
    }
}
