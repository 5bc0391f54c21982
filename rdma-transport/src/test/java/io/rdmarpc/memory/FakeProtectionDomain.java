package io.rdmarpc.memory;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ipc.IpcMemoryRegion;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A protection domain without a device, which records registrations and fails on request. Any thread. */
public final class FakeProtectionDomain implements ProtectionDomain {

    private final List<FakeRegion> regions = new CopyOnWriteArrayList<>();
    private volatile boolean rejecting;
    private volatile boolean stuck;
    private volatile boolean renewsKeys;
    private final AtomicInteger renewedKeys = new AtomicInteger(3_000);
    private volatile Runnable beforeRegistering = () -> {};

    /** Creates a domain that accepts all registrations. */
    public FakeProtectionDomain() {}

    /** Makes registrations fail with {@code ENOMEM} from now on. */
    public void rejectRegistration(boolean reject) {
        rejecting = reject;
    }

    /** Makes deregistrations fail with {@code EBUSY} from now on. */
    public void rejectDeregistration(boolean reject) {
        stuck = reject;
    }

    /** Allows regions to change their remote keys without another registration, from now on. */
    public void renewKeys(boolean renew) {
        renewsKeys = renew;
    }

    /** Sets a step that runs in each registration, before it takes effect. */
    public void beforeRegistering(Runnable step) {
        beforeRegistering = step;
    }

    /** Returns the number of registrations so far. */
    public int registrations() {
        return regions.size();
    }

    /** Returns the regions that are registered now, the oldest first. */
    public List<MemoryRegion> openRegions() {
        return new ArrayList<>(regions.stream().filter(region -> region.open).toList());
    }

    /** Returns whether a peer could use that key now. */
    public boolean isValidKey(int rkey) {
        return regions.stream().anyMatch(region -> region.open && region.rkey() == rkey);
    }

    @Override
    public MemoryRegion registerMemory(MemorySegment segment, Set<AccessFlag> access) {
        beforeRegistering.run();
        if (rejecting) {
            throw new RdmaVerbsException("ibv_reg_mr", "fake0", Errno.ENOMEM, "Raise the memlock limit.");
        }
        synchronized (regions) {
            FakeRegion region = new FakeRegion(segment, access, regions.size() + 1);
            regions.add(region);
            return region;
        }
    }

    @Override
    public QueuePair createQueuePair(QueuePairConfig config) {
        throw new UnsupportedOperationException();
    }

    @Override
    public AddressHandle createAddressHandle(AddressHandleAttributes attributes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}

    /** Sets whether a peer has a view of the memory of a key. */
    void view(int rkey, boolean views) {
        synchronized (regions) {
            regions.stream().filter(region -> region.rkey() == rkey).forEach(region -> region.viewed = views);
        }
    }

    /** Returns the preparations and copies before the memory of a key was written again, in order. */
    List<String> rewrites(int rkey) {
        return regions.stream()
                .filter(region -> region.rkey() == rkey)
                .flatMap(region -> region.rewrites.stream())
                .toList();
    }

    private final class FakeRegion implements MemoryRegion, IpcMemoryRegion {

        private volatile boolean viewed;
        private final List<String> rewrites = new CopyOnWriteArrayList<>();

        private final MemorySegment segment;
        private final Set<AccessFlag> access;
        private final int number;
        private volatile int rkey;
        private volatile boolean open = true;

        FakeRegion(MemorySegment segment, Set<AccessFlag> access, int number) {
            this.segment = segment;
            this.access = access;
            this.number = number;
            this.rkey = 2_000 + number;
        }

        @Override
        public MemorySegment segment() {
            return segment;
        }

        @Override
        public int lkey() {
            return 1_000 + number;
        }

        @Override
        public int rkey() {
            return rkey;
        }

        @Override
        public boolean renewRemoteKey() {
            if (renewsKeys && open) {
                rkey = renewedKeys.incrementAndGet();
                return true;
            }
            return false;
        }

        @Override
        public boolean isViewed() {
            return viewed;
        }

        /** Clears the memory, which callers have to expect. */
        @Override
        public void prepare(long offset, long bytes) {
            segment.asSlice(offset, bytes).fill((byte) 0);
            rewrites.add("prepare " + offset + " " + bytes);
        }

        @Override
        public void copyFrom(MemorySegment source, long sourceOffset, long offset, long bytes) {
            MemorySegment.copy(source, sourceOffset, segment, offset, bytes);
            rewrites.add("copy " + offset + " " + bytes);
        }

        @Override
        public Set<AccessFlag> access() {
            return access;
        }

        @Override
        public void close() {
            if (!segment.scope().isAlive()) {
                throw new AssertionError("memory was freed while it was registered");
            }
            if (stuck) {
                throw new RdmaVerbsException("ibv_dereg_mr", "fake0", Errno.EBUSY, "A memory window is bound.");
            }
            open = false;
        }
    }
}
