package io.rdmarpc.async;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.AtomicCapability;
import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.attributes.DeviceAttributes.AddressLimits;
import io.rdmarpc.verbs.attributes.DeviceAttributes.MemoryLimits;
import io.rdmarpc.verbs.attributes.DeviceAttributes.ObsoleteLimits;
import io.rdmarpc.verbs.attributes.DeviceAttributes.QueueLimits;
import io.rdmarpc.verbs.attributes.DeviceAttributes.ReadLimits;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.GidType;
import io.rdmarpc.verbs.attributes.LinkLayer;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.attributes.PortLink;
import io.rdmarpc.verbs.attributes.PortState;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.connect.QueuePairEndpoint;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A device without a network. It records posted work requests, and a test decides how each one completes. It also
 * checks its user and records {@linkplain #violations() violations}: deregistered memory that a work request uses,
 * queue pairs that stay open, and a completion queue that overruns. Any thread.
 */
final class FakeDevice implements RdmaContext {

    private static final Gid GID = Gid.of(Inet4Address.ofLiteral("10.0.0.1"));

    /** The endpoint that a peer would send. */
    static final QueuePairEndpoint PEER = new QueuePairEndpoint(GID, 0, 99, 7, PathMtu.MTU_1024, 16, 16);

    private final List<Region> regions = new ArrayList<>();
    private final List<Queues> queuePairs = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private Completions completions = new Completions(0);
    private AtomicCapability atomics = AtomicCapability.HCA;
    private boolean growing = true;
    private boolean flushing = true;
    private int sendErrno;
    private int pollErrno;
    private boolean closed;

    /** A posted work request. */
    record Posted(long wrId, int opcode, long address, int length, int lkey, long remoteAddress, int rkey) {}

    private record Completion(long wrId, int status, int opcode, int vendorError, int byteLength, int qpn, int flags) {}

    /** Sets the atomic capability of the device for later nodes and connections. */
    synchronized void atomics(AtomicCapability what) {
        atomics = what;
    }

    /** Sets whether the completion queue can be resized. */
    synchronized void growing(boolean can) {
        growing = can;
    }

    /** Sets whether work requests are flushed when a queue pair moves to ERR; a dead device does not flush. */
    synchronized void flushing(boolean does) {
        flushing = does;
    }

    /** Sets the error number of posting a send, 0 for success. */
    synchronized void sendErrno(int errno) {
        sendErrno = errno;
    }

    /** Sets the error number of polling, 0 to return completions. */
    synchronized void pollErrno(int errno) {
        pollErrno = errno;
    }

    /** Returns the violations by the user of the device. */
    synchronized List<String> violations() {
        return List.copyOf(violations);
    }

    /** Returns the queue pairs in the order of their creation. */
    synchronized Queues queuePair(int index) {
        return queuePairs.get(index);
    }

    synchronized int openRegions() {
        return (int) regions.stream().filter(region -> region.open).count();
    }

    synchronized int openQueuePairs() {
        return (int) queuePairs.stream().filter(qp -> qp.open).count();
    }

    synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public String deviceName() {
        return "fake0";
    }

    @Override
    public synchronized DeviceAttributes attributes() {
        return new DeviceAttributes(
                "1",
                1,
                1,
                0,
                0,
                0,
                1,
                1,
                0,
                0,
                atomics,
                new MemoryLimits(1L << 40, 4096, 1000, 0, 1000),
                new QueueLimits(1000, 16384, 4, 4, 1000, 1 << 15, 0, 0, 0),
                new ReadLimits(16, 16, 16000),
                AddressLimits.NONE,
                ObsoleteLimits.NONE);
    }

    @Override
    public PortAttributes queryPort(int portNumber) {
        return new PortAttributes(
                PortState.ACTIVE,
                PathMtu.MTU_4096,
                PathMtu.MTU_1024,
                1,
                1,
                1 << 20,
                0,
                LinkLayer.ETHERNET,
                0,
                0,
                new PortLink(PortLink.PhysicalState.LINK_UP, 1, 8),
                PortAttributes.Subnet.NONE,
                PortAttributes.Counters.NONE);
    }

    @Override
    public List<GidEntry> gidTable(int portNumber) {
        return List.of(new GidEntry(0, GID, GidType.ROCE_V2, 0));
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        return new Domain();
    }

    @Override
    public synchronized CompletionQueue createCompletionQueue(int entries) {
        completions = new Completions(entries);
        return completions;
    }

    @Override
    public synchronized void close() {
        closed = true;
        regions.stream().filter(region -> region.open).forEach(region -> violations.add("a region is still open"));
        queuePairs.stream().filter(qp -> qp.open).forEach(qp -> violations.add("qp " + qp.number + " is still open"));
    }

    private final class Completions implements CompletionQueue {

        private int capacity;
        private final ArrayDeque<Completion> queue = new ArrayDeque<>();

        Completions(int capacity) {
            this.capacity = capacity;
        }

        void add(Completion completion) {
            if (queue.size() == capacity) {
                violations.add("a completion queue of " + capacity + " entries overran");
            }
            queue.add(completion);
        }

        @Override
        public int poll(WorkCompletions into, int max) {
            synchronized (FakeDevice.this) {
                if (pollErrno != 0) {
                    return -pollErrno;
                }
                int count = Math.min(max, queue.size());
                for (int i = 0; i < count; i++) {
                    Completion next = queue.remove();
                    into.set(
                            i,
                            next.wrId,
                            next.status,
                            next.opcode,
                            next.vendorError,
                            next.byteLength,
                            next.qpn,
                            0,
                            next.flags);
                }
                return count;
            }
        }

        @Override
        public int capacity() {
            return capacity;
        }

        @Override
        public int resize(int entries) {
            synchronized (FakeDevice.this) {
                if (!growing) {
                    throw RdmaVerbsException.notSupported("ibv_resize_cq", "fake0", "The fake device does not resize");
                }
                capacity = entries;
                return entries;
            }
        }

        @Override
        public void close() {}
    }

    private final class Domain implements ProtectionDomain {

        @Override
        public MemoryRegion registerMemory(MemorySegment segment, Set<AccessFlag> access) {
            synchronized (FakeDevice.this) {
                Region region = new Region(segment, Set.copyOf(access), regions.size() + 1);
                regions.add(region);
                return region;
            }
        }

        @Override
        public QueuePair createQueuePair(QueuePairConfig config) {
            synchronized (FakeDevice.this) {
                Queues qp = new Queues(config.capabilities(), queuePairs.size() + 17);
                queuePairs.add(qp);
                return qp;
            }
        }

        @Override
        public AddressHandle createAddressHandle(AddressHandleAttributes attributes) {
            throw new AssertionError("connections need no address handle");
        }

        @Override
        public void close() {}
    }

    private final class Region implements MemoryRegion {

        private final MemorySegment segment;
        private final Set<AccessFlag> access;
        private final int key;
        private boolean open = true;

        Region(MemorySegment segment, Set<AccessFlag> access, int key) {
            this.segment = segment;
            this.access = access;
            this.key = key;
        }

        @Override
        public MemorySegment segment() {
            return segment;
        }

        @Override
        public int lkey() {
            return key;
        }

        @Override
        public int rkey() {
            return key + 1000;
        }

        @Override
        public Set<AccessFlag> access() {
            return access;
        }

        @Override
        public void close() {
            synchronized (FakeDevice.this) {
                open = false;
                if (!segment.scope().isAlive()) {
                    violations.add("memory was freed before it was deregistered");
                }
                for (Queues qp : queuePairs) {
                    if (qp.open && qp.uses(key)) {
                        violations.add("region " + key + " was deregistered while qp " + qp.number + " used it");
                    }
                }
            }
        }
    }

    /** A queue pair whose work requests complete when a test decides it. */
    final class Queues implements QueuePair {

        private final QueuePairCapabilities sizes;
        private final int number;
        private final ArrayDeque<Posted> sends = new ArrayDeque<>();
        private final ArrayDeque<Posted> receives = new ArrayDeque<>();
        private QueuePairState state = QueuePairState.RESET;
        private boolean open = true;

        Queues(QueuePairCapabilities sizes, int number) {
            this.sizes = sizes;
            this.number = number;
        }

        private boolean uses(int lkey) {
            return sends.stream().anyMatch(posted -> posted.lkey == lkey)
                    || receives.stream().anyMatch(posted -> posted.lkey == lkey);
        }

        List<Posted> sends() {
            synchronized (FakeDevice.this) {
                return List.copyOf(sends);
            }
        }

        List<Posted> receives() {
            synchronized (FakeDevice.this) {
                return List.copyOf(receives);
            }
        }

        /** Completes the oldest send successfully; an atomic returns this original value. */
        void completeSend(long originalValue) {
            synchronized (FakeDevice.this) {
                Posted posted = sends.remove();
                if (posted.length == Long.BYTES) {
                    memory(posted).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, originalValue);
                }
                completions.add(new Completion(posted.wrId, 0, 0, 0, posted.length, number, 0));
            }
        }

        /** Fails the oldest send and moves the queue pair to ERR. */
        void failSend(int status, int vendorError) {
            synchronized (FakeDevice.this) {
                Posted posted = sends.remove();
                completions.add(new Completion(posted.wrId, status, -1, vendorError, -1, number, -1));
                enterError();
            }
        }

        /** Completes the oldest receive with a message. */
        void completeReceive(byte[] message) {
            synchronized (FakeDevice.this) {
                Posted posted = receives.remove();
                MemorySegment.copy(message, 0, memory(posted), ValueLayout.JAVA_BYTE, 0, message.length);
                completions.add(new Completion(posted.wrId, 0, CompletionOpcode.RECV, 0, message.length, number, 0));
            }
        }

        /** Repeats a completion, as a faulty device would. */
        void completeAgain(Posted posted) {
            synchronized (FakeDevice.this) {
                completions.add(new Completion(posted.wrId, 0, 0, 0, 0, number, 0));
            }
        }

        private MemorySegment memory(Posted posted) {
            for (Region region : regions) {
                if (region.open && region.key == posted.lkey) {
                    return region.segment.asSlice(posted.address - region.segment.address(), posted.length);
                }
            }
            throw new AssertionError("no open region has lkey " + posted.lkey);
        }

        private void enterError() {
            state = QueuePairState.ERR;
            if (flushing) {
                flush(sends);
                flush(receives);
            }
        }

        private void flush(ArrayDeque<Posted> queue) {
            while (!queue.isEmpty()) {
                completions.add(
                        new Completion(queue.remove().wrId, CompletionStatus.WR_FLUSH_ERR, -1, 0, -1, number, -1));
            }
        }

        @Override
        public int number() {
            return number;
        }

        @Override
        public QueuePairType type() {
            return QueuePairType.RC;
        }

        @Override
        public QueuePairCapabilities capabilities() {
            return sizes;
        }

        @Override
        public QueuePairState queryState() {
            synchronized (FakeDevice.this) {
                return state;
            }
        }

        @Override
        public void modify(QueuePairAttributes attributes) {
            synchronized (FakeDevice.this) {
                if (attributes.state() == QueuePairState.ERR) {
                    enterError();
                } else {
                    state = attributes.state();
                }
            }
        }

        @Override
        public int postSend(SendRequests requests, int first) {
            synchronized (FakeDevice.this) {
                if (sendErrno != 0 || sends.size() == sizes.maxSendWr()) {
                    return sendErrno != 0 ? sendErrno : Errno.ENOMEM;
                }
                sends.add(new Posted(
                        requests.wrId(first),
                        requests.opcode(first),
                        requests.sgeAddress(first, 0),
                        requests.sgeLength(first, 0),
                        requests.sgeLkey(first, 0),
                        requests.remoteAddress(first),
                        requests.rkey(first)));
                return 0;
            }
        }

        @Override
        public int postReceive(ReceiveRequests requests, int first) {
            synchronized (FakeDevice.this) {
                if (receives.size() == sizes.maxReceiveWr()) {
                    return Errno.ENOMEM;
                }
                receives.add(new Posted(
                        requests.wrId(first),
                        -1,
                        requests.sgeAddress(first, 0),
                        requests.sgeLength(first, 0),
                        requests.sgeLkey(first, 0),
                        0,
                        0));
                return 0;
            }
        }

        @Override
        public void close() {
            synchronized (FakeDevice.this) {
                open = false;
                sends.clear();
                receives.clear();
            }
        }
    }
}
