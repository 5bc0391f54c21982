package io.rdmarpc.transport;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.VerbsProviders;
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
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ipc.IpcQueuePair;
import io.rdmarpc.verbs.ipc.PeerMemoryView;
import io.rdmarpc.verbs.ipc.ShmDatagramChannel;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A NIC without a network. It stores what was posted. A test decides when a send completes, which data a READ returns
 * and which packets arrive. The NIC also checks its user: memory that changes or is freed while a work request refers
 * to it is a {@linkplain #violations() violation}.
 */
public final class FakeNic implements RdmaContext {

    /** The source of this end's packets. */
    public static final Gid GID = Gid.of(Inet4Address.ofLiteral("10.0.0.1"));

    private static final int COMPLETION_VECTORS = 8;
    private static final int GRH_BYTES = 40;
    private static final int GRH_SOURCE_IPV4 = 32;

    private final PathMtu mtu;
    private final List<Region> regions = new ArrayList<>();
    private final List<Handle> handles = new ArrayList<>();
    private final List<Queues> queuePairs = new ArrayList<>();
    private int queuePairsMade;
    private int handlesMade;
    private int regionsMade;
    private final List<String> violations = new ArrayList<>();
    private final List<MemorySegment> rejected = new ArrayList<>();
    private final List<Datagram> sent = new ArrayList<>();
    private final List<Read> reads = new ArrayList<>();
    private boolean holdsSends;
    private boolean rejectingSends;
    private boolean rejectingMemory;
    private @Nullable Throwable memoryFault;
    private boolean rejectingStates;
    private int unreceived;
    private int signaledSends;

    private boolean rejectHandles;
    private boolean closed;
    private @Nullable FakeShmChannel channel;
    private int longestMessage = 1 << 20;
    private boolean showsMemory;
    private @Nullable MemorySegment shownAtOnce;
    private final List<View> views = new ArrayList<>();

    private final Map<Verb, Error> faults = new EnumMap<>(Verb.class);

    /** A verb that a test can make throw. */
    public enum Verb {
        /** For the datagram queue pair. */
        POLL_SENDS,
        /** For the datagram queue pair. */
        POLL_RECEIVES,
        /** For connections. */
        POLL_READS,
        /** For the datagram queue pair. */
        POST_SEND,
        /** For the datagram queue pair. */
        POST_RECEIVE,
        /** For connections. */
        POST_READ
    }

    /** A posted datagram. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Datagram(long addressHandle, int qpn, int qkey, byte[] bytes, boolean inline) {}

    /** Creates a NIC whose port has the given MTU. */
    public FakeNic(PathMtu mtu) {
        this.mtu = mtu;
    }

    /** Adds a shared-memory channel to its datagram queue pairs; called before the NIC is opened. */
    public FakeNic with(FakeShmChannel shared) {
        channel = shared;
        return this;
    }

    /** Sets the maximum message length of its port; called before the NIC is opened. */
    public void longestMessage(int bytes) {
        longestMessage = bytes;
    }

    /** Opens the NIC for transports. */
    public NicContext open() {
        return open("fake");
    }

    /** Opens the NIC as one of another provider. */
    public NicContext open(String provider) {
        return new NicContext(new VerbsProviders.Selection(provider, this, "a test"), NicConfig.DEFAULTS);
    }

    /** Sets whether sends stay at the NIC until {@link #completeSends}; otherwise they complete at once. */
    public void holdSends(boolean hold) {
        holdsSends = hold;
    }

    /** Sets whether the send queue is full. */
    public void rejectSends(boolean reject) {
        rejectingSends = reject;
    }

    /** Sets whether creating an address handle fails. */
    public void rejectHandles(boolean reject) {
        rejectHandles = reject;
    }

    /** Sets whether registering memory fails. */
    public void rejectMemory(boolean reject) {
        rejectingMemory = reject;
    }

    /** Returns the memory whose registration failed. */
    public List<MemorySegment> rejectedMemory() {
        return List.copyOf(rejected);
    }

    /** Sets what registering memory throws, as a faulty provider would; null for nothing. */
    public void breakMemory(@Nullable Throwable fault) {
        memoryFault = fault;
    }

    /** Sets what a verb throws on each call, as after a memory error; null for nothing. */
    public void fail(Verb verb, @Nullable Error fault) {
        if (fault == null) {
            faults.remove(verb);
        } else {
            faults.put(verb, fault);
        }
    }

    private void check(Verb verb) {
        Error fault = faults.get(verb);
        if (fault != null) {
            throw fault;
        }
    }

    /** Completes all sends that stayed at the NIC. */
    public void completeSends() {
        queuePairs.forEach(Queues::completeSends);
    }

    /** Returns the datagrams that were posted since the last call. */
    public List<Datagram> takeSent() {
        List<Datagram> taken = List.copyOf(sent);
        sent.clear();
        return taken;
    }

    /** Returns the READs that were posted and have not ended. */
    public List<Read> reads() {
        return reads.stream().filter(read -> !read.ended).toList();
    }

    /** Sets whether memory of peers can be viewed in place. */
    public void showMemory(boolean show) {
        showsMemory = show;
    }

    /** Makes a view of the message available as soon as it is requested. */
    public void showAtOnce(byte[] message) {
        showMemory(true);
        shownAtOnce = MemorySegment.ofArray(message).asReadOnly();
    }

    /** Returns the views that were requested, open and closed ones. */
    public List<View> views() {
        return List.copyOf(views);
    }

    /** Returns how many READs were posted in total. */
    public int readsPosted() {
        return reads.size();
    }

    /** Returns how many datagrams were signaled. */
    public int signaledSends() {
        return signaledSends;
    }

    /** Returns whether the user has closed the NIC. */
    public boolean isClosed() {
        return closed;
    }

    /** Returns how many packets arrived without a receive. */
    public int unreceived() {
        return unreceived;
    }

    /** Returns the errors of the user of this NIC. */
    public List<String> violations() {
        return List.copyOf(violations);
    }

    /** Returns how many bytes are registered now. */
    public long registeredBytes() {
        return regions.stream().mapToLong(region -> region.segment.byteSize()).sum();
    }

    /** Returns how many receives of the datagram queue pair are posted. */
    public int postedReceives() {
        return datagrams().receives.size();
    }

    /**
     * Delivers a packet.
     *
     * @param payload the bytes after the route header; a test may claim a shorter length than the packet's
     * @param sourceQpn the sending queue pair
     * @param source the sending GID
     */
    public void receive(byte[] payload, int sourceQpn, Gid source) {
        datagrams().receive(payload, sourceQpn, source, CompletionStatus.SUCCESS);
    }

    /** Fails the datagram queue pair: all its receives are flushed. */
    public void failDatagrams() {
        datagrams().fail();
    }

    /** Sets whether changing the state of a queue pair fails. */
    public void rejectStates(boolean reject) {
        rejectingStates = reject;
    }

    /** Ends the next posted receive without a packet. */
    public void failReceive(int status) {
        datagrams().receive(new byte[0], 0, GID, status);
    }

    /** Returns the bytes that a peer would READ. */
    public byte[] remoteRead(long address, int length, int rkey) {
        for (Region region : regions) {
            if (region.rkey() == rkey && region.access.contains(AccessFlag.REMOTE_READ)) {
                return region.segment
                        .asSlice(address - region.segment.address(), length)
                        .toArray(ValueLayout.JAVA_BYTE);
            }
        }
        throw new AssertionError("no open region may be READ with rkey " + rkey);
    }

    private Queues datagrams() {
        return queuePairs.stream()
                .filter(qp -> qp.type() == QueuePairType.UD)
                .findFirst()
                .orElseThrow();
    }

    @Override
    public String deviceName() {
        return "fake0";
    }

    @Override
    public DeviceAttributes attributes() {
        return new DeviceAttributes(
                "1",
                1,
                1,
                0,
                0,
                0,
                1,
                COMPLETION_VECTORS,
                0,
                0,
                AtomicCapability.NONE,
                new MemoryLimits(1L << 40, 4096, 1000, 0, 1000),
                new QueueLimits(1000, 16384, 4, 4, 1000, 16384, 0, 0, 0),
                new ReadLimits(16, 16, 16000),
                AddressLimits.NONE,
                ObsoleteLimits.NONE);
    }

    @Override
    public PortAttributes queryPort(int portNumber) {
        return new PortAttributes(
                PortState.ACTIVE,
                mtu,
                mtu,
                1,
                1,
                longestMessage,
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
    public CompletionQueue createCompletionQueue(int entries) {
        return new Completions(entries);
    }

    @Override
    public void close() {
        closed = true;
        regions.forEach(region -> violations.add(region + " is still open"));
        handles.forEach(handle -> violations.add(handle + " is still open"));
        queuePairs.forEach(qp -> violations.add("qp " + qp.number + " is still open"));
    }

    private MemorySegment memory(long address, int length, int lkey) {
        for (Region region : regions) {
            if (region.lkey() == lkey) {
                return region.segment.asSlice(address - region.segment.address(), length);
            }
        }
        throw new AssertionError("no open region has lkey " + lkey);
    }

    /** An RDMA READ at the NIC. */
    public final class Read {

        private final Queues qp;
        private final long wrId;
        private final long address;
        private final int lkey;
        private final int length;
        private final long remoteAddress;
        private final int rkey;
        private boolean ended;

        private Read(Queues qp, SendRequests requests, int index) {
            this.qp = qp;
            this.wrId = requests.wrId(index);
            this.address = requests.sgeAddress(index, 0);
            this.lkey = requests.sgeLkey(index, 0);
            this.length = requests.sgeLength(index, 0);
            this.remoteAddress = requests.remoteAddress(index);
            this.rkey = requests.rkey(index);
        }

        /** Returns the address that it reads from. */
        public long remoteAddress() {
            return remoteAddress;
        }

        /** Returns the key that it uses. */
        public int rkey() {
            return rkey;
        }

        /** Returns its length in bytes. */
        public int length() {
            return length;
        }

        /** Delivers the bytes: each is the one at its position in the whole message. */
        public void complete(byte[] message, long messageAddress) {
            int from = (int) (remoteAddress - messageAddress);
            MemorySegment.copy(message, from, memory(address, length, lkey), ValueLayout.JAVA_BYTE, 0, length);
            end(CompletionStatus.SUCCESS);
        }

        /** Ends it without its bytes, or with some of them. */
        public void end(int status) {
            ended = true;
            qp.sendCq.add(new Completion(wrId, status, 0, qp.number, 0));
        }
    }

    /** A view of a peer's memory. */
    public static final class View implements PeerMemoryView {

        private final Queues qp;
        private final long wrId;
        private @Nullable MemorySegment memory;
        private boolean posted;
        private boolean closed;

        private View(Queues qp, long wrId) {
            this.qp = qp;
            this.wrId = wrId;
        }

        /** Makes the memory available. */
        public void show(byte[] message) {
            memory = MemorySegment.ofArray(message).asReadOnly();
            end(CompletionStatus.SUCCESS);
        }

        /** Ends it without memory. */
        public void end(int status) {
            qp.sendCq.add(new Completion(wrId, status, 0, qp.number, 0));
        }

        @Override
        public @Nullable MemorySegment memory() {
            return closed ? null : memory;
        }

        /** Returns whether the user has closed it. */
        public boolean isClosed() {
            return closed;
        }

        @Override
        public boolean isPosted() {
            return posted;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private record Completion(long wrId, int status, int byteLength, int qpn, int sourceQp) {}

    /** A send at the NIC, with a copy of its memory at the time it was posted. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Posted(long wrId, boolean signaled, long addressHandle, MemorySegment memory, byte[] bytes) {

        boolean isUnchanged() {
            return memory.scope().isAlive() && Arrays.equals(bytes, memory.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private final class Completions implements CompletionQueue {

        private Verb verb = Verb.POLL_SENDS;

        private final int capacity;
        private final ArrayDeque<Completion> queue = new ArrayDeque<>();

        Completions(int capacity) {
            this.capacity = capacity;
        }

        void add(Completion completion) {
            if (queue.size() == capacity) {
                throw new AssertionError("a completion queue of " + capacity + " overflows");
            }
            queue.add(completion);
        }

        @Override
        public int poll(WorkCompletions into, int max) {
            check(verb);
            int count = Math.min(max, queue.size());
            for (int i = 0; i < count; i++) {
                Completion next = queue.remove();
                into.set(i, next.wrId, next.status, 0, 0, next.byteLength, next.qpn, next.sourceQp, 0);
            }
            return count;
        }

        @Override
        public int capacity() {
            return capacity;
        }

        @Override
        public void close() {}
    }

    private final class Queues implements QueuePair, IpcQueuePair {

        private final int number = 100 + queuePairsMade++;
        private final QueuePairConfig config;
        private final Completions sendCq;
        private final Completions receiveCq;
        private final ArrayDeque<Posted> atNic = new ArrayDeque<>();
        private final ArrayDeque<long[]> receives = new ArrayDeque<>();
        private QueuePairState state = QueuePairState.RESET;
        private boolean open = true;

        Queues(QueuePairConfig config) {
            this.config = config;
            this.sendCq = (Completions) config.sendCq();
            this.receiveCq = (Completions) config.receiveCq();
            boolean datagrams = config.type() == QueuePairType.UD;
            receiveCq.verb = Verb.POLL_RECEIVES;
            sendCq.verb = datagrams ? Verb.POLL_SENDS : Verb.POLL_READS;
        }

        @Override
        public int number() {
            return number;
        }

        @Override
        public QueuePairType type() {
            return config.type();
        }

        @Override
        public QueuePairCapabilities capabilities() {
            return config.capabilities();
        }

        @Override
        public @Nullable ShmDatagramChannel datagramChannel() {
            return type() == QueuePairType.UD ? channel : null;
        }

        @Override
        public QueuePairState queryState() {
            return state;
        }

        @Override
        public void modify(QueuePairAttributes attributes) {
            if (rejectingStates) {
                throw new RdmaVerbsException("ibv_modify_qp", "fake0", Errno.EIO, "The test makes it fail");
            }
            state = attributes.state();
            if (state == QueuePairState.RESET) {
                receives.clear();
                atNic.clear();
            }
            if (state == QueuePairState.ERR) {
                reads().stream()
                        .filter(read -> read.qp == this)
                        .forEach(read -> read.end(CompletionStatus.WR_FLUSH_ERR));
            }
        }

        @Override
        public int postSend(SendRequests requests, int first) {
            check(type() == QueuePairType.UD ? Verb.POST_SEND : Verb.POST_READ);
            for (int i = first; i >= 0; i = requests.next(i)) {
                int errno = post(requests, i);
                if (errno != 0) {
                    requests.badIndex(i);
                    return errno;
                }
            }
            return 0;
        }

        @Override
        public @Nullable PeerMemoryView postView(long wrId, long remoteAddress, int rkey, int length) {
            if (!showsMemory) {
                return null;
            }
            View view = new View(this, wrId);
            view.memory = shownAtOnce;
            view.posted = shownAtOnce == null;
            views.add(view);
            return view;
        }

        private int post(SendRequests requests, int index) {
            if (state != QueuePairState.RTS) {
                return Errno.EINVAL;
            }
            if (rejectingSends || atNic.size() == capabilities().maxSendWr()) {
                return Errno.ENOMEM;
            }
            if (requests.opcode(index) == SendOpcode.RDMA_READ) {
                reads.add(new Read(this, requests, index));
            } else {
                postDatagram(requests, index);
            }
            return 0;
        }

        private void postDatagram(SendRequests requests, int index) {
            int length = requests.sgeLength(index, 0);
            MemorySegment memory = memory(requests.sgeAddress(index, 0), length, requests.sgeLkey(index, 0));
            byte[] bytes = memory.toArray(ValueLayout.JAVA_BYTE);
            boolean signaled = (requests.flags(index) & SendFlags.SIGNALED) != 0;
            boolean inline = (requests.flags(index) & SendFlags.INLINE) != 0;
            long handle = requests.addressHandle(index);
            if (length > mtu.bytes() || (inline && length > capabilities().maxInlineBytes())) {
                violations.add("a datagram of " + length + " bytes, inline " + inline);
            }
            signaledSends += signaled ? 1 : 0;
            sent.add(new Datagram(handle, requests.remoteQpn(index), requests.remoteQkey(index), bytes, inline));
            atNic.add(new Posted(requests.wrId(index), signaled, handle, memory, bytes));
            if (!holdsSends) {
                completeSends();
            }
        }

        void completeSends() {
            while (!atNic.isEmpty()) {
                Posted posted = atNic.remove();
                if (!posted.isUnchanged()) {
                    violations.add("a datagram changed while it was at the NIC");
                }
                if (posted.signaled) {
                    sendCq.add(new Completion(posted.wrId, CompletionStatus.SUCCESS, 0, number, 0));
                }
            }
        }

        void fail() {
            state = QueuePairState.ERR;
            while (!receives.isEmpty()) {
                receiveCq.add(new Completion(receives.remove()[0], CompletionStatus.WR_FLUSH_ERR, 0, number, 0));
            }
        }

        @Override
        public int postReceive(ReceiveRequests requests, int first) {
            check(Verb.POST_RECEIVE);
            for (int i = first; i >= 0; i = requests.next(i)) {
                if (receives.size() == capabilities().maxReceiveWr()) {
                    violations.add("more receives than the depth of the queue");
                    return Errno.ENOMEM;
                }
                long wrId = requests.wrId(i);
                if (receives.stream().anyMatch(receive -> receive[0] == wrId)) {
                    violations.add("receive " + wrId + " is posted twice");
                }
                receives.add(
                        new long[] {wrId, requests.sgeAddress(i, 0), requests.sgeLength(i, 0), requests.sgeLkey(i, 0)});
            }
            return 0;
        }

        void receive(byte[] payload, int sourceQpn, Gid source, int status) {
            long[] receive = receives.poll();
            if (receive == null) {
                unreceived++;
                return;
            }
            MemorySegment buffer = memory(receive[1], (int) receive[2], (int) receive[3]);
            buffer.asSlice(0, GRH_BYTES).fill((byte) 0);
            for (int i = 0; i < 4; i++) {
                byte octet = (byte) (source.ipv4() >>> (24 - 8 * i));
                buffer.set(ValueLayout.JAVA_BYTE, GRH_SOURCE_IPV4 + i, octet);
            }
            MemorySegment.copy(payload, 0, buffer, ValueLayout.JAVA_BYTE, GRH_BYTES, payload.length);
            receiveCq.add(new Completion(receive[0], status, GRH_BYTES + payload.length, number, sourceQpn));
        }

        @Override
        public void close() {
            open = false;
            if (reads().stream().anyMatch(read -> read.qp == this)) {
                violations.add("qp " + number + " was closed with READs in flight");
            }
            queuePairs.remove(this);
        }
    }

    private final class Domain implements ProtectionDomain {

        @Override
        public MemoryRegion registerMemory(MemorySegment segment, Set<AccessFlag> access) {
            switch (memoryFault) {
                case RuntimeException fault -> throw fault;
                case Error fault -> throw fault;
                case null, default -> {}
            }
            if (rejectingMemory) {
                rejected.add(segment);
                throw new RdmaVerbsException("ibv_reg_mr", "fake0", Errno.ENOMEM, "The test makes it fail.");
            }
            Region region = new Region(segment, access);
            regions.add(region);
            return region;
        }

        @Override
        public QueuePair createQueuePair(QueuePairConfig config) {
            Queues qp = new Queues(config);
            queuePairs.add(qp);
            return qp;
        }

        @Override
        public AddressHandle createAddressHandle(AddressHandleAttributes attributes) {
            if (rejectHandles) {
                throw new RdmaVerbsException("ibv_create_ah", "", Errno.ENETUNREACH, "The test makes it fail");
            }
            Handle handle = new Handle(attributes, ++handlesMade);
            handles.add(handle);
            return handle;
        }

        @Override
        public void close() {}
    }

    private final class Region implements MemoryRegion {

        private final MemorySegment segment;
        private final Set<AccessFlag> access;
        private final int number = ++regionsMade;

        Region(MemorySegment segment, Set<AccessFlag> access) {
            this.segment = segment;
            this.access = access;
        }

        @Override
        public MemorySegment segment() {
            return segment;
        }

        @Override
        public int lkey() {
            return 1000 + number;
        }

        @Override
        public int rkey() {
            return 2000 + number;
        }

        @Override
        public Set<AccessFlag> access() {
            return access;
        }

        private boolean holds(long address) {
            return address >= segment.address() && address < segment.address() + segment.byteSize();
        }

        @Override
        public void close() {
            if (queuePairs.stream().anyMatch(qp -> qp.atNic.stream().anyMatch(s -> holds(s.memory.address())))) {
                violations.add(this + " was closed with sends in flight");
            }
            if (reads().stream().anyMatch(read -> read.qp.open && holds(read.address))) {
                violations.add(this + " was closed with READs in flight");
            }
            regions.remove(this);
        }

        @Override
        public String toString() {
            return "region " + number + " of " + segment.byteSize() + " bytes";
        }
    }

    private final class Handle implements AddressHandle {

        private final AddressHandleAttributes attributes;
        private final long number;
        private boolean open = true;

        Handle(AddressHandleAttributes attributes, long number) {
            this.attributes = attributes;
            this.number = number;
        }

        @Override
        public long handle() {
            if (!open) {
                violations.add(this + " was used after it was closed");
            }
            return number;
        }

        @Override
        public AddressHandleAttributes attributes() {
            return attributes;
        }

        @Override
        public void close() {
            open = false;
            if (queuePairs.stream().anyMatch(qp -> qp.atNic.stream().anyMatch(s -> s.addressHandle == number))) {
                violations.add(this + " was closed with sends in flight");
            }
            handles.remove(this);
        }

        @Override
        public String toString() {
            return "address handle " + number + " to " + attributes.destinationGid();
        }
    }
}
