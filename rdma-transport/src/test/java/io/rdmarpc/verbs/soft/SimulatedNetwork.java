package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.link.fault.FaultyLink;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.soft.port.LocalGidTable;
import io.rdmarpc.verbs.soft.qp.SoftQueuePair;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Software RNICs that are connected in memory, with faults and with cables that a test disconnects. One thread; the
 * test sets the time.
 */
public final class SimulatedNetwork {

    private final MemoryNetwork network = new MemoryNetwork();
    private final LongSupplier clock;
    private boolean calm;

    /** Creates a network without RNICs. */
    public SimulatedNetwork(LongSupplier nanoClock) {
        clock = nanoClock;
    }

    /** Ends all faults: later packets arrive once and in order. */
    public void calmDown() {
        calm = true;
    }

    /** Opens an RNIC at an unused port. */
    public Nic open(int port, LinkFaults faults) {
        PacketLink cable = network.link(TestNode.LOOPBACK_IP, port);
        Gate gate = new Gate(cable, new FaultyLink(cable, faults, clock));
        SoftRnic rnic = new SoftRnic(LocalGidTable.of(List.of(TestNode.LOOPBACK)), gate, clock);
        return new Nic(rnic, new SoftContext(rnic), gate);
    }

    /** One RNIC and its cable. */
    public static final class Nic {

        private final SoftRnic rnic;
        private final SoftContext context;
        private final Gate gate;

        private Nic(SoftRnic rnic, SoftContext context, Gate gate) {
            this.rnic = rnic;
            this.context = context;
            this.gate = gate;
        }

        /** Returns the open device. */
        public RdmaContext context() {
            return context;
        }

        /**
         * Sets whether the link rejects all packets, so that requests stay in their queues and the RNIC keeps using
         * their memory.
         */
        public void stall(boolean stalled) {
            gate.stalled = stalled;
        }

        /** Returns the number of a queue pair's posted receives. */
        public int postedReceives(int queuePairNumber) {
            SoftQueuePair qp = rnic.queuePairs().find(queuePairNumber);
            return qp == null ? 0 : qp.postedReceives();
        }
    }

    /**
     * A link between an RNIC and its faulty link. It rejects all packets while stalled, and bypasses the faults after
     * {@link #calmDown}.
     */
    private final class Gate implements PacketLink {

        private final PacketLink cable;
        private final FaultyLink faulty;
        private boolean stalled;

        private Gate(PacketLink cable, FaultyLink faulty) {
            this.cable = cable;
            this.faulty = faulty;
        }

        @Override
        public boolean send(int localIndex, LinkAddress destination, PacketBuffer packet) {
            if (stalled) {
                return false;
            }
            return (calm ? cable : faulty).send(localIndex, destination, packet);
        }

        @Override
        public boolean isIntact(LinkAddress destination) {
            return faulty.isIntact(destination);
        }

        @Override
        public int poll(int max, LinkPacketHandler handler) {
            return faulty.poll(max, handler);
        }

        @Override
        public int port() {
            return cable.port();
        }

        @Override
        public int receiveWindowBytes() {
            return cable.receiveWindowBytes();
        }

        @Override
        public void close() {
            faulty.close();
        }
    }
}
