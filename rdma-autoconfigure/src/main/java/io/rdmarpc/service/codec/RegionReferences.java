package io.rdmarpc.service.codec;

import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.rpc.RpcSession;
import org.jspecify.annotations.Nullable;

/**
 * Regions of memory as they travel: a token goes out, and a region comes out of it at the other side. The data stays where it
 * is. Any thread.
 */
public interface RegionReferences {

    /** Where remote memory is not open. */
    RegionReferences NONE = new RegionReferences() {

        @Override
        public RegionToken tokenOf(RemoteRegion region, @Nullable RpcSession over) {
            throw none();
        }

        @Override
        public RemoteRegion regionOf(RegionToken token, @Nullable RpcSession over) {
            throw none();
        }

        // The codec says where.
        private IllegalStateException none() {
            return new IllegalStateException("a RemoteRegion is in the message, and remote memory is not open here."
                    + " Set rdma.remote-memory.enabled=true on both sides");
        }
    };

    /**
     * Makes what stands for a region in a message.
     *
     * @param region lent here
     * @param over the session that the message goes over, where this side has opened it; else null
     * @return opens it once
     */
    RegionToken tokenOf(RemoteRegion region, @Nullable RpcSession over);

    /**
     * Makes a region of what came in a message; must not block.
     *
     * @param token stands for it
     * @param over the session that the message came over, where this side has opened it; else null
     * @return the region, owned by whoever the message is for
     */
    RemoteRegion regionOf(RegionToken token, @Nullable RpcSession over);
}
