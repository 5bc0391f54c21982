package io.rdmarpc.verbs.ibverbs.cm;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.cm.CmConnection;
import io.rdmarpc.verbs.cm.CmFailure;
import io.rdmarpc.verbs.cm.CmParameters;
import io.rdmarpc.verbs.cm.RdmaCmException;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ffi.Reply;
import io.rdmarpc.verbs.ibverbs.IbvQueuePair;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmEvent;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmEventType;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmIdStruct;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmQpAttr;
import io.rdmarpc.verbs.ibverbs.ffi.cm.ConnParamStruct;
import io.rdmarpc.verbs.ibverbs.ffi.cm.LibRdmacm;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Connects a queue pair to its peer. The identifier of librdmacm contains only the number of the queue pair. The
 * kernel's connection manager determines the attributes for each state, and this class modifies the queue pair.
 *
 * <pre>
 *   connect                                    accept
 *   RESET -> INIT
 *   rdma_connect            -- REQ -->         CONNECT_REQUEST
 *                                              RESET -> INIT -> RTR -> RTS
 *   CONNECT_RESPONSE        <-- REP --         rdma_accept
 *   INIT -> RTR -> RTS
 *   rdma_establish          -- RTU -->         ESTABLISHED
 * </pre>
 *
 * @param id the identifier of the connection
 * @param path the path of the connection
 * @param queuePair its queue pair
 * @param parameters the values that the caller requests or grants
 */
record CmHandshake(CmIdentifier id, CmPath path, IbvQueuePair queuePair, CmParameters parameters) {

    private static final String CONNECT = "rdma_connect";
    private static final String ACCEPT = "rdma_accept";

    /** A verb that sends the parameters to the peer. */
    @FunctionalInterface
    private interface Sender {
        Reply send(LibRdmacm library, CmIdStruct id, ConnParamStruct parameters);
    }

    /** Returns the queue pair if it can be connected over this path, otherwise throws. */
    static IbvQueuePair requireUnconnected(QueuePair queuePair, CmPath path, String verb) {
        if (!(queuePair instanceof IbvQueuePair ours)
                || !ours.context().deviceName().equals(path.deviceName())
                || ours.type() != QueuePairType.RC) {
            throw invalid(verb, path, "An RC queue pair of this device is required, not " + queuePair);
        }
        QueuePairState state = ours.queryState();
        if (state != QueuePairState.RESET && state != QueuePairState.INIT) {
            throw invalid(
                    verb, path, "Queue pair " + ours.number() + " is in state " + state + ": use one in RESET or INIT");
        }
        return ours;
    }

    /** Checks the length of private data. */
    static void checkLength(String verb, CmPath path, byte[] privateData, int max) {
        if (privateData.length > max) {
            throw invalid(verb, path, privateData.length + " bytes of private data exceed the maximum of " + max);
        }
    }

    private static RdmaVerbsException invalid(String verb, CmPath path, String explanation) {
        return new RdmaVerbsException(verb, path.deviceName(), Errno.EINVAL, explanation);
    }

    /** Moves the queue pair to INIT. */
    void initialize() {
        Set<AccessFlag> access = parameters.remoteAccess();
        change(QueuePairState.INIT, attributes -> {
            if (access != null) {
                attributes.setAccessFlags(AccessFlag.bits(access));
            }
        });
    }

    CmConnection connect(Duration timeout) {
        return orClose(CONNECT, () -> {
            CmDepths requested =
                    CmDepths.requested(parameters, queuePair.context().attributes());
            initialize();
            send(CONNECT, LibRdmacm::connect, requested);
            CmEvent response = id.expect(CmEventType.CONNECT_RESPONSE, CONNECT, path.describe(), Deadline.in(timeout));
            CmDepths agreed = requested.limitedBy(response);
            makeReady(agreed);
            id.call("rdma_establish", LibRdmacm::establish, CmFailure.CONNECT_ERROR, kernelRejected());
            return new RdmaCmConnection(id, path, queuePair, response.privateData(), agreed);
        });
    }

    CmConnection accept(CmEvent request, Duration timeout) {
        return orClose(ACCEPT, () -> {
            CmDepths agreed = CmDepths.requested(parameters, queuePair.context().attributes())
                    .limitedBy(request);
            initialize();
            makeReady(agreed);
            send(ACCEPT, LibRdmacm::accept, agreed);
            id.expect(CmEventType.ESTABLISHED, ACCEPT, path.describe(), Deadline.in(timeout));
            return new RdmaCmConnection(id, path, queuePair, request.privateData(), agreed);
        });
    }

    private void send(String verb, Sender sender, CmDepths depths) {
        try (Arena arena = Arena.ofConfined()) {
            ConnParamStruct struct = ConnParamStruct.allocate(
                    arena, parameters, depths.responderResources(), depths.initiatorDepth(), queuePair.number());
            id.call(
                    verb,
                    (library, identifier) -> sender.send(library, identifier, struct),
                    CmFailure.CONNECT_ERROR,
                    kernelRejected());
        }
    }

    private String kernelRejected() {
        return "The kernel rejected " + path.describe() + " with " + parameters.responderResources() + " and "
                + parameters.initiatorDepth() + " READs: check whether the peer cancelled it";
    }

    /**
     * Moves the queue pair to RTS. Repeats INIT first, because the kernel derives the access rights from the depths,
     * which are known only now.
     */
    private void makeReady(CmDepths depths) {
        initialize();
        change(QueuePairState.RTR, attributes -> {
            attributes.setMaxDestReadAtomic(depths.responderResources());
            if (parameters.minRnrTimer() != CmParameters.AUTOMATIC) {
                attributes.setMinRnrTimer(parameters.minRnrTimer());
            }
        });
        change(QueuePairState.RTS, attributes -> {
            attributes.setMaxReadAtomic(depths.initiatorDepth());
            if (parameters.ackTimeout() != CmParameters.AUTOMATIC) {
                attributes.setTimeout(parameters.ackTimeout());
            }
        });
    }

    private void change(QueuePairState state, Consumer<CmQpAttr> adjustment) {
        try (Arena arena = Arena.ofConfined()) {
            CmQpAttr attributes = id.queuePairAttributes(arena, state);
            adjustment.accept(attributes);
            queuePair.modify(attributes.attributes(), attributes.mask());
        }
    }

    /** Runs the steps. If one fails, the queue pair enters ERR and the identifier is closed. */
    private CmConnection orClose(String verb, Supplier<CmConnection> steps) {
        try {
            return steps.get();
        } catch (RuntimeException e) {
            RuntimeException cause = e instanceof RdmaCmException known && known.failure() != CmFailure.CONNECT_ERROR
                    ? e
                    : explained(verb, e);
            fail(queuePair);
            id.close();
            throw cause;
        }
    }

    /** Returns the event that explains a failed step, if one is pending. Often it is the peer's disconnect. */
    private RuntimeException explained(String verb, RuntimeException failure) {
        try {
            CmEvent event = id.next(verb, Deadline.in(Duration.ZERO));
            if (event == null) {
                return failure;
            }
            RdmaCmException cause = CmFailures.of(event, verb, path.deviceName(), path.describe());
            cause.addSuppressed(failure);
            return cause;
        } catch (RdmaVerbsException e) {
            failure.addSuppressed(e);
            return failure;
        }
    }

    /** Flushes the work requests of a queue pair whose connection has ended. Its owner may have closed it. */
    static void fail(IbvQueuePair queuePair) {
        try {
            queuePair.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        } catch (RdmaVerbsException e) {
            // The queue pair is closed or the device was removed: nothing is transmitted in either case.
        }
    }
}
