package io.rdmarpc.verbs.interop;

import io.rdmarpc.verbs.attributes.PathMtu;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One of two processes that execute all verbs with each other, one on a kernel device and one on the software RNIC.
 *
 * <pre>
 *   InteropProcess server PORT      PROVIDER DEVICE [option=value...]   prints "LISTENING"
 *   InteropProcess client HOST:PORT PROVIDER DEVICE [option=value...]
 *
 *   mtu=4096          path MTU of the connection
 *   sizes=0,1,...     payload bytes
 *   datagrams=true    whether to send datagrams too
 *   timeout=19        timeout exponent of the connection
 *   others            options of the provider
 * </pre>
 *
 * Prints a line on success; otherwise the exit status is not 0.
 */
public final class InteropProcess {

    private static final int CONNECT_MILLIS = 30_000;

    private final boolean client;
    private final PathMtu mtu;
    private final int timeout;
    private final List<InteropCase> cases;
    private final InteropEnd end;

    private InteropProcess(String[] args) {
        Map<String, String> options = options(args);
        client = args[0].equals("client");
        int bytes = Integer.parseInt(options.getOrDefault("mtu", "4096"));
        String sizes = options.getOrDefault(
                "sizes",
                "0,1," + (bytes - 1) + "," + bytes + "," + (bytes + 1) + "," + (1 << 20) + "," + 7 * (1 << 20));
        List<Integer> numbers =
                Arrays.stream(sizes.split(",", -1)).map(Integer::valueOf).toList();
        mtu = PathMtu.ofBytes(bytes);
        timeout = Integer.parseInt(options.getOrDefault("timeout", "19"));
        cases = InteropCase.all(bytes, numbers, Boolean.parseBoolean(options.getOrDefault("datagrams", "true")));
        options.keySet().removeAll(List.of("mtu", "sizes", "timeout", "datagrams"));
        end = new InteropEnd(args[2], args[3], options, Collections.max(numbers));
    }

    /**
     * Runs one end.
     *
     * @param args see the class
     */
    public static void main(String[] args) throws IOException {
        InteropProcess process = new InteropProcess(args);
        try {
            process.run(args[1]);
        } finally {
            process.end.close();
        }
    }

    private static Map<String, String> options(String[] args) {
        Map<String, String> options = new HashMap<>();
        for (String option : Arrays.asList(args).subList(4, args.length)) {
            int equals = option.indexOf('=');
            options.put(option.substring(0, equals), option.substring(equals + 1));
        }
        return options;
    }

    private void run(String address) throws IOException {
        try (Socket peer = client ? call(address) : accept(Integer.parseInt(address))) {
            peer.setTcpNoDelay(true);
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(peer.getInputStream(), StandardCharsets.US_ASCII));
            PrintWriter out = new PrintWriter(peer.getOutputStream(), true, StandardCharsets.US_ASCII);
            out.println(end.address().line());
            end.connect(InteropAddress.parse(in.readLine()), mtu, timeout);
            // Neither end may send before the other one is connected.
            out.println("connected");
            in.readLine();
            carryOut(new InteropRun(end, in, out));
        }
    }

    private static Socket call(String address) throws IOException {
        int colon = address.indexOf(':');
        Socket socket = new Socket();
        socket.connect(
                new InetSocketAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))),
                CONNECT_MILLIS);
        return socket;
    }

    private static Socket accept(int port) throws IOException {
        try (ServerSocket listener = new ServerSocket(port)) {
            System.out.println("LISTENING");
            return listener.accept();
        }
    }

    private void carryOut(InteropRun run) throws IOException {
        for (InteropCase test : cases) {
            long start = System.nanoTime();
            run.carryOut(test, test.byClient() == client);
            System.out.printf("%s, %d us%n", test, (System.nanoTime() - start) / 1000);
        }
        System.out.println(cases.size() + " cases right");
    }
}
