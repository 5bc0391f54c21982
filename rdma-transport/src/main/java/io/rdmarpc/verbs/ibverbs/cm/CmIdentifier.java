package io.rdmarpc.verbs.ibverbs.cm;

import io.rdmarpc.concurrent.Uninterrupted;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.cm.CmFailure;
import io.rdmarpc.verbs.cm.RdmaCmException;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ffi.Reply;
import io.rdmarpc.verbs.ibverbs.device.Lifetime;
import io.rdmarpc.verbs.ibverbs.ffi.DescriptorWait;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmChannelStruct;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmEvent;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmEventType;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmIdStruct;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmQpAttr;
import io.rdmarpc.verbs.ibverbs.ffi.cm.LibRdmacm;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An identifier of librdmacm with an event channel of its own: whoever waits, waits for this identifier only, and no
 * thread or table hands events round. Events are acknowledged when they are taken, so destroying never waits for one.
 *
 * <p>Any thread. A wait keeps it from being destroyed, and a close first wakes the wait.
 */
final class CmIdentifier {

    /** A verb of librdmacm on an identifier. */
    @FunctionalInterface
    interface Verb {
        Reply call(LibRdmacm library, CmIdStruct id);
    }

    private final LibRdmacm library;
    private final CmChannelStruct channel;
    private final DescriptorWait wait;
    private final CmIdStruct struct;
    private final Lifetime lifetime = new Lifetime("connection", "");
    private final ReentrantLock turn = new ReentrantLock();
    private volatile boolean closing;

    private CmIdentifier(LibRdmacm library, CmChannelStruct channel, DescriptorWait wait, CmIdStruct struct) {
        this.library = library;
        this.channel = channel;
        this.wait = wait;
        this.struct = struct;
    }

    /** Makes a new one. */
    static CmIdentifier create(LibRdmacm library) {
        return open(library, channel -> library.createId(channel, CmFailures::noChannel));
    }

    /** Takes the one of a request from its listener's channel; the peer is rejected when that fails. */
    static CmIdentifier adopt(LibRdmacm library, CmIdStruct struct) {
        try {
            return open(library, channel -> {
                library.migrateId(struct, channel).check(struct.deviceName(), CmFailures::noChannel);
                return struct;
            });
        } catch (RuntimeException | Error e) {
            library.destroyId(struct);
            throw e;
        }
    }

    private static CmIdentifier open(LibRdmacm library, Function<CmChannelStruct, CmIdStruct> identifier) {
        CmChannelStruct channel = library.createEventChannel(CmFailures::noChannel);
        DescriptorWait wait = null;
        try {
            wait = library.waitOn(channel);
            return new CmIdentifier(library, channel, wait, identifier.apply(channel));
        } catch (RuntimeException | Error e) {
            if (wait != null) {
                wait.close();
            }
            library.destroyEventChannel(channel);
            throw e;
        }
    }

    CmPath path() {
        return whileOpen("rdma_get_peer_addr", () -> CmPath.of(struct));
    }

    /**
     * Calls a verb.
     *
     * @param failure what it means when it fails
     * @param explanation what was tried and what to do next
     */
    void call(String verb, Verb body, CmFailure failure, String explanation) {
        whileOpen(verb, () -> {
            int errno = body.call(library, struct).error();
            if (errno != 0) {
                throw new RdmaCmException(verb, struct.deviceName(), errno, failure, explanation);
            }
            return struct;
        });
    }

    /** Calls a verb whose failure means that there is nothing left to do. */
    void callQuietly(Verb body) {
        lifetime.ifOpen(() -> body.call(library, struct));
    }

    /** Asks what a queue pair must be changed to. */
    CmQpAttr queuePairAttributes(Arena arena, QueuePairState state) {
        CmQpAttr attributes = CmQpAttr.allocate(arena, state);
        call(
                "rdma_init_qp_attr",
                (cm, id) -> cm.initQpAttr(id, attributes),
                CmFailure.CONNECT_ERROR,
                "The connection manager does not say how to go to " + state + ": the connection is gone, or the queue"
                        + " pair was given another one");
        return attributes;
    }

    /** Waits for an event; every other one is a failure. */
    CmEvent expect(CmEventType type, String verb, String tried, Deadline deadline) {
        while (true) {
            CmEvent event = next(verb, deadline);
            if (event == null) {
                if (deadline.isOver()) {
                    throw CmFailures.timeout(verb, deviceName(), tried, deadline);
                }
            } else if (event.type() == type && event.status() == 0) {
                return event;
            } else if (!isOfNoConcern(event.type())) {
                throw CmFailures.of(event, verb, deviceName(), tried);
            }
        }
    }

    private static boolean isOfNoConcern(CmEventType type) {
        return type == CmEventType.ADDR_CHANGE || type == CmEventType.TIMEWAIT_EXIT;
    }

    /** Takes the next event; null when the time is over, and after {@link #wakeUp}. */
    @Nullable
    CmEvent next(String verb, Deadline deadline) {
        return whileOpen(verb, () -> runScheduled(deadline) ? nextAlone(verb, deadline) : null);
    }

    /** An interrupt does not end a wait, as it does not end a {@code poll(2)}. */
    private boolean runScheduled(Deadline deadline) {
        return Uninterrupted.await(
                Duration.ofNanos(deadline.nanos()), nanos -> turn.tryLock(nanos, TimeUnit.NANOSECONDS));
    }

    private @Nullable CmEvent nextAlone(String verb, Deadline deadline) {
        try {
            CmEvent event = library.nextEvent(channel);
            while (event == null && !closing && wait.await(deadline.nanos())) {
                event = library.nextEvent(channel);
            }
            // An event that was taken is handed over all the same: a request in it would be lost to everybody.
            if (closing && event == null) {
                throw CmFailures.closed(verb, struct.deviceName());
            }
            return event;
        } finally {
            turn.unlock();
        }
    }

    /** Runs a verb; whoever meets a close on the way gets the same answer wherever that was. */
    <T> T whileOpen(String verb, Supplier<T> action) {
        try {
            return lifetime.whileOpen(verb, action);
        } catch (RdmaVerbsException e) {
            if (!closing) {
                throw e;
            }
            RdmaCmException closed = CmFailures.closed(verb, e.device());
            closed.addSuppressed(e);
            throw closed;
        }
    }

    private String deviceName() {
        return whileOpen("rdma_get_cm_event", struct::deviceName);
    }

    /** Makes the present {@link #next}, else the next one, return. */
    void wakeUp() {
        lifetime.ifOpen(wait::wakeUp);
    }

    void close() {
        closing = true;
        wakeUp();
        lifetime.end(
                () -> library.destroyId(struct).check("", errno -> "The connection stays until the process ends"),
                () -> library.destroyEventChannel(channel),
                wait::close);
    }
}
