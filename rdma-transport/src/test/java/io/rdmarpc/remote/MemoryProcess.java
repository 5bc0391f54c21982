package io.rdmarpc.remote;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * One side of remote memory between two processes.
 *
 * <pre>
 *   owner PROVIDER PORT [option=value...]            prints "LISTENING port", lends, ends when its standard input ends
 *   holder PROVIDER PORT REGIONS [option=value...]   allocates regions at the owner, prints "HOLDING", and reads and
 *                                                    writes them with notifications until its standard input ends
 *   adder PROVIDER PORT TOKEN [option=value...]      opens two words of the owner, prints "READY", waits for the end of
 *                                                    its standard input, increments both words, prints "ADDED"
 * </pre>
 */
public final class MemoryProcess {

    static final int REGION_BYTES = 1 << 20;
    static final int ADDS = 200;
    static final int ADDEND = 3;
    static final int SWAPS = 50;

    private MemoryProcess() {}

    /**
     * Runs one side.
     *
     * @param args the arguments, see the class
     */
    public static void main(String[] args) throws Exception {
        List<String> positional = new ArrayList<>();
        Map<String, String> options = new HashMap<>();
        for (String arg : args) {
            int equals = arg.indexOf('=');
            if (equals < 0) {
                positional.add(arg);
            } else {
                options.put(arg.substring(0, equals), arg.substring(equals + 1));
            }
        }
        String provider = positional.get(1);
        InetSocketAddress address =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(positional.get(2)));
        try (RdmaRuntime runtime =
                        RdmaRuntime.open(NicConfig.DEFAULTS.withProvider(provider, options), Memories.PATIENT);
                RemoteMemory memory =
                        RemoteMemory.open(runtime, RemoteMemoryConfig.DEFAULTS.withProvider(provider, options))) {
            switch (positional.getFirst()) {
                case "owner" -> lend(runtime, address);
                case "holder" -> hold(memory, address, Integer.parseInt(positional.get(3)));
                case "adder" -> add(memory, address, positional.get(3));
                default -> throw new IllegalArgumentException(positional.getFirst());
            }
        }
    }

    /** Encodes a token as an argument. */
    static String text(RegionToken token) {
        return HexFormat.of().formatHex(token.encode());
    }

    private static void lend(RdmaRuntime runtime, InetSocketAddress address) throws IOException {
        try (RpcServer server = runtime.listen(address)) {
            System.out.println("LISTENING " + server.address().getPort());
            awaitEndOfInput();
        }
    }

    private static void awaitEndOfInput() throws IOException {
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
    }

    private static void hold(RemoteMemory memory, InetSocketAddress address, int regions) throws IOException {
        try (RemotePeer peer = memory.peer("owner", address);
                LocalRegion local = memory.allocateLocal(REGION_BYTES)) {
            local.slice().writable().fill((byte) 7);
            RemoteRegion[] held = new RemoteRegion[regions];
            for (int i = 0; i < regions; i++) {
                held[i] = peer.allocate(REGION_BYTES, RemoteRight.ALL, Duration.ofHours(1));
            }
            System.out.println("HOLDING");
            while (System.in.available() == 0) {
                for (int i = 0; i < regions; i++) {
                    held[i].writeWithNotify(0, local.slice(), i);
                    held[i].read(0, local.slice());
                }
            }
        }
    }

    private static void add(RemoteMemory memory, InetSocketAddress address, String token) throws IOException {
        try (RemotePeer peer = memory.peer("owner", address);
                RemoteRegion words = peer.open(RegionToken.decode(HexFormat.of().parseHex(token)))) {
            System.out.println("READY");
            awaitEndOfInput();
            for (int i = 0; i < ADDS; i++) {
                words.getAndAdd(0, ADDEND);
            }
            for (int i = 0; i < SWAPS; i++) {
                addOneBySwapping(words);
            }
            System.out.println("ADDED");
        }
    }

    private static void addOneBySwapping(RemoteRegion words) {
        long expected = 0;
        long original = words.compareAndSwap(Long.BYTES, expected, expected + 1);
        while (original != expected) {
            expected = original;
            original = words.compareAndSwap(Long.BYTES, expected, expected + 1);
        }
    }
}
