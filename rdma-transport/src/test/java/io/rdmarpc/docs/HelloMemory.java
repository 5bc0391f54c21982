package io.rdmarpc.docs;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.remote.RemotePeer;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.lease.RegionGrant;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteRight;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;

final class HelloMemory {

    private static final Duration LEASE = Duration.ofMinutes(1);

    private HelloMemory() {}

    /** Memory there, used from here. The owner only has to have remote memory open. */
    static long allocated(RemoteMemory memory, InetSocketAddress owner) {
        try (RemotePeer peer = memory.peer("owner", owner);
                RemoteRegion region = peer.allocate(1 << 20, LEASE)) {
            region.write(64, "hello".getBytes(StandardCharsets.UTF_8));
            byte[] back = region.read(64, 5);
            region.renew(LEASE);
            return region.getAndAdd(0, back.length) + region.compareAndSwap(0, 5, 7);
        }
    }

    /** Without copies: operations read and fill registered memory. Futures end in any order. */
    static void transfer(RemoteMemory memory, RemoteRegion region) {
        try (LocalRegion local = memory.allocateLocal(8192)) {
            local.slice(0, 4096).writable().fill((byte) 1);
            region.writeAsync(0, local.slice(0, 4096))
                    .thenCompose(written -> region.readAsync(0, local.slice(4096, 4096)))
                    .join();
        }
    }

    /** Memory here, used from there: the token goes to the peer in an argument of a call, as bytes. */
    static byte[] lend(RemoteMemory memory, LocalRegion local) {
        RegionGrant grant = memory.grant(local.slice(0, 4096), Set.of(RemoteRight.READ), LEASE);
        return grant.token().encode();
    }

    /** The peer opens it, whichever of the two has connected to the other. */
    static byte[] use(RemoteMemory memory, byte[] token) {
        try (RemoteRegion region = memory.open(RegionToken.decode(token))) {
            return region.read(0, 16);
        }
    }
}
