package io.rdmarpc.service.codec;

import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.rpc.RpcSession;
import org.jspecify.annotations.Nullable;

/**
 * Conversion between memory regions and the tokens that represent them in messages. The data of a region is not sent.
 * Thread-safe.
 */
public interface RegionReferences {

    /** Rejects regions, because remote memory is not enabled. */
    RegionReferences NONE = new RegionReferences() {

        @Override
        public RegionToken tokenOf(RemoteRegion region, @Nullable RpcSession over) {
            throw none();
        }

        @Override
        public RemoteRegion regionOf(RegionToken token, @Nullable RpcSession over) {
            throw none();
        }

        // The codec adds the place in the message.
        private IllegalStateException none() {
            return new IllegalStateException("the message contains a RemoteRegion, but remote memory is not enabled."
                    + " Set rdma.remote-memory.enabled=true on both sides");
        }
    };

    /**
     * Creates the token of a region for a message.
     *
     * @param region a region of memory that this process lends
     * @param over the session of the message if this process opened it, otherwise null
     * @return a token with which the receiver can open the region once
     */
    RegionToken tokenOf(RemoteRegion region, @Nullable RpcSession over);

    /**
     * Creates a region from a received token. Must not block.
     *
     * @param token the token
     * @param over the session of the message if this process opened it, otherwise null
     * @return the region, owned by the receiver of the message
     */
    RemoteRegion regionOf(RegionToken token, @Nullable RpcSession over);
}
