package io.rdmarpc.remote;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * One end of remote memory between two processes.
 *
 * <pre>
 *   owner PROVIDER PORT [option=value...]            prints "LISTENING port", lends, ends when its standard input does
 *   holder PROVIDER PORT REGIONS [option=value...]   allocates regions at the owner, says "HOLDING" and reads and writes
 *                                                    them until its standard input ends
 * </pre>
 */
public final class MemoryProcess {

    private static final int REGION_BYTES = 1 << 20;

    private MemoryProcess() {}

    /**
     * Runs one end.
     *
     * @param args see the class
     */
    public static void main(String[] args) throws Exception {
        boolean owner = args[0].equals("owner");
        Map<String, String> options = new HashMap<>();
        for (int i = owner ? 3 : 4; i < args.length; i++) {
            options.put(args[i].split("=", 2)[0], args[i].split("=", 2)[1]);
        }
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[2]));
        try (RdmaRuntime runtime =
                        RdmaRuntime.open(NicConfig.DEFAULTS.withProvider(args[1], options), Memories.PATIENT);
                RemoteMemory memory =
                        RemoteMemory.open(runtime, RemoteMemoryConfig.DEFAULTS.withProvider(args[1], options))) {
            if (owner) {
                lend(runtime, address);
            } else {
                hold(memory, address, Integer.parseInt(args[3]));
            }
        }
    }

    private static void lend(RdmaRuntime runtime, InetSocketAddress address) throws IOException {
        try (RpcServer server = runtime.listen(address)) {
            System.out.println("LISTENING " + server.address().getPort());
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        }
    }

    private static void hold(RemoteMemory memory, InetSocketAddress address, int regions) throws IOException {
        try (RemotePeer peer = memory.peer("owner", address);
                LocalRegion local = memory.allocateLocal(REGION_BYTES)) {
            RemoteRegion[] held = new RemoteRegion[regions];
            for (int i = 0; i < regions; i++) {
                held[i] = peer.allocate(REGION_BYTES, Duration.ofHours(1));
            }
            System.out.println("HOLDING");
            while (System.in.available() == 0) {
                for (RemoteRegion region : held) {
                    region.write(0, local.slice());
                    region.read(0, local.slice());
                }
            }
        }
    }
}
