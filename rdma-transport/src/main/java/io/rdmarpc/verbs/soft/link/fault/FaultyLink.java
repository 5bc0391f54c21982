package io.rdmarpc.verbs.soft.link.fault;

import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.soft.link.ForwardingLink;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.link.ScriptedEvents;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Drops, duplicates, reorders, delays and corrupts the packets that are sent through another link, as a seed or a
 * script selects, and limits their rate. A later {@link #send} or {@link #poll} sends the packets that are held back.
 */
public final class FaultyLink extends ForwardingLink {

    private static final int MAX_OVERTAKING = 4;

    private final LinkFaults faults;
    private final LongSupplier nanoClock;
    private final SplittableRandom random;
    private final ScriptPlayer script;
    private final BandwidthCap cap;
    private final List<HeldPacket> held = new ArrayList<>();
    private final Deque<HeldPacket> spare = new ArrayDeque<>();
    private final PacketBuffer corrupted = new PacketBuffer();
    private long sends;
    private long lost;
    private boolean rejected;
    private ScriptedEvents events = (type, packet) -> {};

    /**
     * Wraps a link.
     *
     * @param link the link to wrap, closed with this one
     * @param faults the faults to inject
     * @param nanoClock the current time in nanoseconds, from an arbitrary origin
     */
    public FaultyLink(PacketLink link, LinkFaults faults, LongSupplier nanoClock) {
        super(link);
        this.faults = faults;
        this.nanoClock = nanoClock;
        this.random = new SplittableRandom(faults.seed());
        this.script = new ScriptPlayer(faults.script());
        this.cap = new BandwidthCap(faults.bytesPerSecond());
    }

    /** A packet that waits for a time or for a number of later packets, whichever comes first. */
    private static final class HeldPacket {
        private final PacketBuffer packet = new PacketBuffer();
        private int localIndex;
        private LinkAddress destination = LinkAddress.of(new Gid(0, 0), 0, 0);
        private long dueNanos;
        private long dueSends;
    }

    @Override
    public boolean send(int localIndex, LinkAddress destination, PacketBuffer packet) {
        if (!mayPass(packet)) {
            return false;
        }
        sends++;
        releaseDue();
        FaultScript.Step step = script.next(packet);
        return step == null
                ? sendByChance(localIndex, destination, packet)
                : play(step, localIndex, destination, packet);
    }

    private boolean mayPass(PacketBuffer packet) {
        if (cap.isNone()) {
            return true;
        }
        long now = nanoClock.getAsLong();
        rejected = cap.isBusy(now);
        if (!rejected) {
            cap.use(packet.length(), now);
        }
        return !rejected;
    }

    private boolean sendByChance(int localIndex, LinkAddress destination, PacketBuffer packet) {
        if (happens(faults.loss())) {
            lost++;
            return true;
        }
        PacketBuffer outgoing = happens(faults.corrupt()) ? corrupt(packet) : packet;
        if (happens(faults.duplicate())) {
            link().send(localIndex, destination, outgoing);
        }
        if (happens(faults.reorder())) {
            long dueSends = sends + 1 + random.nextInt(MAX_OVERTAKING);
            hold(localIndex, destination, outgoing, faults.delayNanos(), dueSends);
            return true;
        }
        if (happens(faults.delay())) {
            hold(localIndex, destination, outgoing, faults.delayNanos(), Long.MAX_VALUE);
            return true;
        }
        return link().send(localIndex, destination, outgoing);
    }

    private boolean play(FaultScript.Step step, int localIndex, LinkAddress destination, PacketBuffer packet) {
        switch (step.action()) {
            case QP_FATAL, PORT_ERR, PORT_ACTIVE, DEVICE_FATAL -> {
                boolean taken = link().send(localIndex, destination, packet);
                AsyncEventType event = step.action().event();
                if (event != null) {
                    events.onEvent(event, packet);
                }
                return taken;
            }
            case DROP -> lost++;
            case DUPLICATE -> {
                link().send(localIndex, destination, packet);
                return link().send(localIndex, destination, packet);
            }
            // Released before the second packet after this one is sent.
            case REORDER -> hold(localIndex, destination, packet, faults.delayNanos(), sends + 2);
            case DELAY -> {
                long nanos = step.delayNanos() < 0 ? faults.delayNanos() : step.delayNanos();
                hold(localIndex, destination, packet, nanos, Long.MAX_VALUE);
            }
            case CORRUPT -> {
                return link().send(localIndex, destination, corrupt(packet));
            }
        }
        return true;
    }

    @Override
    public void setEventListener(ScriptedEvents listener) {
        events = listener;
    }

    @Override
    public boolean isIntact(LinkAddress destination) {
        return !faults.corrupts() && link().isIntact(destination);
    }

    @Override
    public @Nullable PeerMemory peerMemory() {
        return link().peerMemory();
    }

    private boolean happens(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    private PacketBuffer corrupt(PacketBuffer packet) {
        corrupted.copyFrom(packet);
        int bit = random.nextInt(packet.length() * Byte.SIZE);
        int at = bit / Byte.SIZE;
        corrupted.bytes().put(at, (byte) (corrupted.bytes().get(at) ^ 1 << bit % Byte.SIZE));
        return corrupted;
    }

    private void hold(int localIndex, LinkAddress destination, PacketBuffer packet, long nanos, long dueSends) {
        HeldPacket holder = spare.isEmpty() ? new HeldPacket() : spare.pop();
        holder.packet.copyFrom(packet);
        holder.localIndex = localIndex;
        holder.destination = destination;
        holder.dueNanos = nanoClock.getAsLong() + nanos;
        holder.dueSends = dueSends;
        held.add(holder);
    }

    private void releaseDue() {
        if (held.isEmpty()) {
            return;
        }
        long now = nanoClock.getAsLong();
        for (int i = 0; i < held.size(); i++) {
            HeldPacket holder = held.get(i);
            if (now - holder.dueNanos >= 0 || sends >= holder.dueSends) {
                held.remove(i--);
                link().send(holder.localIndex, holder.destination, holder.packet);
                spare.push(holder);
            }
        }
    }

    @Override
    public int poll(int max, LinkPacketHandler handler) {
        releaseDue();
        return link().poll(max, handler);
    }

    /**
     * {@inheritDoc} No thread may sleep while packets are held back or were rejected, because a later poll releases
     * them.
     */
    @Override
    public boolean prepareSleep() {
        return held.isEmpty() && !isBusy() && link().prepareSleep();
    }

    private boolean isBusy() {
        rejected = rejected && cap.isBusy(nanoClock.getAsLong());
        return rejected;
    }

    /** Returns the number of packets that were dropped on purpose. */
    public long lost() {
        return lost;
    }
}
