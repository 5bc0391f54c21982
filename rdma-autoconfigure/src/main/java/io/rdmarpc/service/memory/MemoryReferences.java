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
 * Regions in calls, by the memory of this process. The first region over a session waits for a connection about memory. Any
 * thread.
 */
public final class MemoryReferences implements RegionReferences {

    private final Supplier<RemoteMemory> memory;

    /**
     * Creates references.
     *
     * @param memory whose regions; asked for when the first one travels
     */
    public MemoryReferences(Supplier<RemoteMemory> memory) {
        this.memory = memory;
    }

    /** What goes out over a session is for the process at its other end and nobody else. */
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
