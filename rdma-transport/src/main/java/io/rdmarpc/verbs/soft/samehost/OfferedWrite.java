package io.rdmarpc.verbs.soft.samehost;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.soft.domain.SoftMemoryRegion;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import io.rdmarpc.verbs.soft.qp.ConnectedQueuePair;
import io.rdmarpc.verbs.soft.wire.OfferEth;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.soft.wire.Reth;
import org.jspecify.annotations.Nullable;

/** The part of a WRITE that the peer offers to copy, on the responder's side: see {@link MappedWrite}. */
public final class OfferedWrite {

    private final ConnectedQueuePair qp;
    private long address;
    private int rkey;
    private int total;
    private int offset;
    private int bytes;
    private boolean granted;

    public OfferedWrite(ConnectedQueuePair qp) {
        this.qp = qp;
    }

    /** Reads an offer; false if it is inconsistent. */
    public boolean read(PacketBuffer packet) {
        long length = Reth.length(packet.bytes());
        address = Reth.address(packet.bytes());
        rkey = Reth.rkey(packet.bytes());
        total = (int) length;
        offset = OfferEth.offset(packet.bytes());
        bytes = OfferEth.length(packet.bytes());
        granted = false;
        return length <= DeviceConstants.MAX_MESSAGE_BYTES
                && offset >= 0
                && bytes > 0
                && bytes <= length - offset
                && (endsMessage() || bytes % qp.mtuBytes() == 0);
    }

    /** Returns the region of the message, or null if the key, the range or the right does not allow the write. */
    @Nullable
    public SoftMemoryRegion region() {
        return qp.remote(rkey, address, total, AccessFlag.REMOTE_WRITE);
    }

    /** Grants the part; returns {@link PeerMemory#NO_GRANT} if the peer has to send it. */
    public long grant(SoftMemoryRegion region) {
        PeerMemory memory = qp.rnic().peerMemory();
        PeerMemory.Place place = region.place();
        long grant = memory == null || place == null
                ? PeerMemory.NO_GRANT
                : memory.grant(qp.route().destination(), place.pages(), rkey);
        granted = grant != PeerMemory.NO_GRANT;
        return grant;
    }

    /** Returns whether this number of bytes was granted. */
    public boolean isGranted(int copied) {
        return granted && copied == bytes;
    }

    public void forget() {
        granted = false;
    }

    public boolean endsMessage() {
        return offset + bytes == total;
    }

    public long address() {
        return address;
    }

    public int rkey() {
        return rkey;
    }

    public int total() {
        return total;
    }

    public int offset() {
        return offset;
    }

    public int bytes() {
        return bytes;
    }
}
