package io.rdmarpc.benchmarks.memory;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.remote.RemoteMemoryConfig;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** READs by {@link RemoteRegion#readAsync} from a region that was allocated at a peer. */
abstract sealed class RegionReads implements Reads permits ChainedReads, AwaitedReads {

    private static final Duration LEASE = Duration.ofMinutes(30);

    private final RdmaRuntime owning;
    private final RdmaRuntime using;
    private final RpcServer server;
    private final RemoteMemory owner;
    private final RemoteMemory user;
    private final RemoteRegion region;
    private final LocalRegion local;

    /** Connects over shared memory or over UDP, and allocates memory on both sides. */
    RegionReads(boolean sharedMemory) {
        NicConfig nic = NicConfig.DEFAULTS.withProvider("soft", Reads.options(sharedMemory));
        RemoteMemoryConfig config = RemoteMemoryConfig.DEFAULTS.withProvider("soft", Reads.options(sharedMemory));
        owning = RdmaRuntime.open(nic, RpcConfig.DEFAULTS);
        using = RdmaRuntime.open(nic, RpcConfig.DEFAULTS);
        server = owning.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        owner = RemoteMemory.open(owning, config);
        user = RemoteMemory.open(using, config);
        region = user.peer("owner", server.address()).allocate((long) BYTES * AT_A_TIME, LEASE);
        local = user.allocateLocal((long) BYTES * AT_A_TIME);
    }

    /** Starts one READ. The polling thread completes the future. */
    final CompletableFuture<Void> read(int place) {
        long at = (long) place * BYTES;
        return region.readAsync(at, local.slice(at, BYTES));
    }

    @Override
    public final void close() {
        local.close();
        region.close();
        user.close();
        owner.close();
        server.close();
        using.close();
        owning.close();
    }
}
