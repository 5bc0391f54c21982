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
 * An identifier of librdmacm with its own event channel. A wait therefore concerns this identifier only, and no thread
 * or table distributes events. Each event is acknowledged when it is read, so that destroying the identifier does not
 * wait for an acknowledgment.
 *
 * <p>Thread-safe. A wait prevents the identifier from being destroyed; closing first wakes the waiting thread.
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
    private final ReentrantLock waitLock = new ReentrantLock();
    private volatile boolean closing;

    private CmIdentifier(LibRdmacm library, CmChannelStruct channel, DescriptorWait wait, CmIdStruct struct) {
        this.library = library;
        this.channel = channel;
        this.wait = wait;
        this.struct = struct;
    }

    /** Creates a new identifier. */
    static CmIdentifier create(LibRdmacm library) {
        return open(library, channel -> library.createId(channel, CmFailures::noChannel));
    }

    /**
     * Moves the identifier of a request from its listener's channel to a new channel. If that fails, the peer is
     * rejected.
     */
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
     * @param failure the kind of failure that an error of the verb means
     * @param explanation the failed action and the next step
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

    /** Calls a verb and ignores its failure, which means that the connection has already ended. */
    void callQuietly(Verb body) {
        lifetime.ifOpen(() -> body.call(library, struct));
    }

    /** Returns the attributes to which a queue pair must be modified. */
    CmQpAttr queuePairAttributes(Arena arena, QueuePairState state) {
        CmQpAttr attributes = CmQpAttr.allocate(arena, state);
        call(
                "rdma_init_qp_attr",
                (cm, id) -> cm.initQpAttr(id, attributes),
                CmFailure.CONNECT_ERROR,
                "The connection manager has no attributes for " + state + ": the connection has ended, or the queue"
                        + " pair has another connection");
        return attributes;
    }

    /** Waits for an event of a type. Any other event is a failure. */
    CmEvent expect(CmEventType type, String verb, String tried, Deadline deadline) {
        while (true) {
            CmEvent event = next(verb, deadline);
            if (event == null) {
                if (deadline.isOver()) {
                    throw CmFailures.timeout(verb, deviceName(), tried, deadline);
                }
            } else if (event.type() == type && event.status() == 0) {
                return event;
            } else if (!isIgnored(event.type())) {
                throw CmFailures.of(event, verb, deviceName(), tried);
            }
        }
    }

    private static boolean isIgnored(CmEventType type) {
        return type == CmEventType.ADDR_CHANGE || type == CmEventType.TIMEWAIT_EXIT;
    }

    /** Returns the next event; null after the timeout or {@link #wakeUp}. */
    @Nullable
    CmEvent next(String verb, Deadline deadline) {
        return whileOpen(verb, () -> lockWait(deadline) ? nextAlone(verb, deadline) : null);
    }

    /** Locks {@link #waitLock}. An interrupt does not end the wait, as in a {@code poll(2)}. */
    private boolean lockWait(Deadline deadline) {
        return Uninterrupted.await(
                Duration.ofNanos(deadline.nanos()), nanos -> waitLock.tryLock(nanos, TimeUnit.NANOSECONDS));
    }

    private @Nullable CmEvent nextAlone(String verb, Deadline deadline) {
        try {
            CmEvent event = library.nextEvent(channel);
            while (event == null && !closing && wait.await(deadline.nanos())) {
                event = library.nextEvent(channel);
            }
            // An event that was read is returned even during a close: no other thread could receive the request in it.
            if (closing && event == null) {
                throw CmFailures.closed(verb, struct.deviceName());
            }
            return event;
        } finally {
            waitLock.unlock();
        }
    }

    /** Runs a verb. If the identifier is closed during the verb, always throws the same exception. */
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

    /** Ends the current {@link #next}, or the next one if no thread waits. */
    void wakeUp() {
        lifetime.ifOpen(wait::wakeUp);
    }

    void close() {
        closing = true;
        wakeUp();
        lifetime.end(
                () -> library.destroyId(struct).check("", errno -> "The connection is freed when the process ends"),
                () -> library.destroyEventChannel(channel),
                wait::close);
    }
}
