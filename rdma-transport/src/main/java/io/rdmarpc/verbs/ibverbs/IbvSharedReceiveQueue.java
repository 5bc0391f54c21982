package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.SharedReceiveQueue;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.check.ReceiveRequestChecks;
import io.rdmarpc.verbs.ibverbs.device.Children;
import io.rdmarpc.verbs.ibverbs.device.Lifetime;
import io.rdmarpc.verbs.ibverbs.ffi.DataPath;
import io.rdmarpc.verbs.ibverbs.ffi.LibIbverbs;
import io.rdmarpc.verbs.ibverbs.ffi.struct.SrqAttrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.SrqStruct;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import java.lang.foreign.Arena;
import java.lang.ref.Reference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A shared receive queue. Closing it closes the queue pairs that use it. */
final class IbvSharedReceiveQueue implements SharedReceiveQueue, Children.Child {

    private final IbvProtectionDomain domain;
    private final SrqStruct struct;
    private final int maxWr;
    private final int maxSge;
    private final LibIbverbs library;
    private final String device;
    private final DataPath dataPath;
    private final long pointer;
    private final ReceiveRequestChecks checks;
    private final BadRequest bad = new BadRequest();
    private final Lifetime lifetime;
    private final Children queuePairs = new Children();

    /**
     * Null after the close. A plain read as in a queue pair; otherwise constant, because a shared receive queue has no
     * states.
     */
    private @Nullable QueuePairState state = QueuePairState.INIT;

    IbvSharedReceiveQueue(IbvProtectionDomain domain, SrqStruct struct, SrqAttrStruct granted) {
        this.domain = domain;
        this.struct = struct;
        this.maxWr = granted.maxWr();
        this.maxSge = granted.maxSge();
        this.library = domain.context().library();
        this.device = domain.context().deviceName();
        this.dataPath = domain.context().dataPath();
        this.pointer = struct.pointer();
        this.checks = ReceiveRequestChecks.ofSharedQueue(maxSge);
        this.lifetime = new Lifetime("shared receive queue", device);
        domain.receiveQueues().add(this);
        domain.context().eventTargets().add(pointer, this);
    }

    @Override
    public int maxWr() {
        return maxWr;
    }

    @Override
    public int maxSge() {
        return maxSge;
    }

    @Override
    public int postReceive(ReceiveRequests requests, int first) {
        checks.check(requests, first, state);
        try {
            int result = dataPath.postSrqReceive(pointer, requests.writeOut(first), bad.slot());
            if (result != 0) {
                requests.badIndex(bad.index(requests.address(0), ReceiveRequests.WR_BYTES, requests.capacity(), first));
            }
            return result;
        } finally {
            Reference.reachabilityFence(requests);
        }
    }

    @Override
    public void armLimit(int limit) {
        lifetime.whileOpen("ibv_modify_srq", () -> {
            try (Arena arena = Arena.ofConfined()) {
                SrqAttrStruct change = SrqAttrStruct.allocate(arena, 0, 0, limit);
                library.modifySrq(struct, change, SrqAttrStruct.LIMIT)
                        .check(device, errno -> "A limit of " + limit + " was requested; the queue size is " + maxWr);
                return change;
            }
        });
    }

    @Override
    public int queryLimit() {
        return lifetime.whileOpen("ibv_query_srq", () -> {
            try (Arena arena = Arena.ofConfined()) {
                SrqAttrStruct result = SrqAttrStruct.allocate(arena, 0, 0, 0);
                library.querySrq(struct, result)
                        .check(device, errno -> "The driver did not respond; see the kernel log");
                return result.limit();
            }
        });
    }

    <T> T whileOpen(String verb, Supplier<T> action) {
        return lifetime.whileOpen(verb, action);
    }

    IbvProtectionDomain domain() {
        return domain;
    }

    long pointer() {
        return pointer;
    }

    Children queuePairs() {
        return queuePairs;
    }

    @Override
    public void close() {
        lifetime.end(
                queuePairs::closeAll,
                () -> state = null,
                () -> domain.context().eventTargets().remove(pointer),
                () -> library.destroySrq(struct)
                        .check(device, errno -> "A queue pair still uses the shared receive queue"),
                () -> domain.receiveQueues().remove(this));
    }
}
