package io.rdmarpc.service.memory;

import io.rdmarpc.remote.RegionsInCalls;
import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.service.codec.RegionReferences;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends and receives regions in calls, using the remote memory of this process. The first region over a session waits
 * for a memory connection. Thread-safe.
 */
public final class MemoryReferences implements RegionReferences {

    private final Supplier<RemoteMemory> memory;

    /**
     * Creates references.
     *
     * @param memory supplies the remote memory when the first region is sent or received
     */
    public MemoryReferences(Supplier<RemoteMemory> memory) {
        this.memory = memory;
    }

    /** Returns a token that only the process at the other end of the session can open. */
    @Override
    public RegionToken tokenOf(RemoteRegion region, @Nullable RpcSession over) {
        RegionsInCalls regions = memory.get().inCalls();
        return regions.tokenOf(region, over == null ? null : regions.peerOver(over));
    }

    @Override
    public RemoteRegion regionOf(RegionToken token, @Nullable RpcSession over) {
        return memory.get().inCalls().regionOf(token, over);
    }
}
