package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.nio.channels.SelectableChannel;
import java.util.List;

/**
 * Base of a link that wraps another one and sees each packet. It forwards the methods that every link supports. It does
 * not forward those by which data bypasses the wrapper: {@link #nextPacket}, {@link #room}, {@link #isIntact},
 * shared-memory paths and {@link #peerMemory}. A subclass forwards those that its purpose allows. {@link
 * #setEventListener} is not forwarded either.
 */
public abstract class ForwardingLink implements PacketLink {

    private final PacketLink link;

    /**
     * Wraps a link.
     *
     * @param link closed with this one
     */
    protected ForwardingLink(PacketLink link) {
        this.link = link;
    }

    /** Returns the wrapped link. */
    protected final PacketLink link() {
        return link;
    }

    @Override
    public LinkAddress resolve(int localIndex, Gid destination, int port, int trafficClass, int flow) {
        return link.resolve(localIndex, destination, port, trafficClass, flow);
    }

    @Override
    public void release(LinkAddress address) {
        link.release(address);
    }

    @Override
    public void prepare() {
        link.prepare();
    }

    @Override
    public boolean send(int localIndex, LinkAddress destination, PacketBuffer packet) {
        return link.send(localIndex, destination, packet);
    }

    @Override
    public void flush() {
        link.flush();
    }

    @Override
    public int poll(int max, LinkPacketHandler handler) {
        return link.poll(max, handler);
    }

    @Override
    public int port() {
        return link.port();
    }

    @Override
    public int receiveWindowBytes() {
        return link.receiveWindowBytes();
    }

    @Override
    public int[] descriptors() {
        return link.descriptors();
    }

    @Override
    public int[] bells() {
        return link.bells();
    }

    @Override
    public List<SelectableChannel> channels() {
        return link.channels();
    }

    @Override
    public boolean prepareSleep() {
        return link.prepareSleep();
    }

    @Override
    public long longestSleepNanos() {
        return link.longestSleepNanos();
    }

    @Override
    public void endSleep() {
        link.endSleep();
    }

    @Override
    public void close() {
        link.close();
    }
}
