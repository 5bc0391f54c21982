package io.rdmarpc.rpc.engine.server;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.BytesHandler;
import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.ServedCall;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.engine.context.Expect;
import io.rdmarpc.rpc.engine.packet.ReceiveRingLedger;
import io.rdmarpc.rpc.engine.packet.ReceivedHeader;
import io.rdmarpc.rpc.error.FailureMessage;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The call that a {@link BytesHandler} serves on the engine thread. One object is used for all such calls. The
 * arguments are in the receive ring, and the response is normally sent before the handler's method returns. Engine
 * thread only.
 */
final class InlineCall implements ServedCall {

    private final ServerParts parts;
    private final ServerResponses responses;
    private final ReceiveRingLedger ring;
    private @Nullable MessageBuffer response;

    /** Whether the handler's method is running and has not yet responded. */
    private boolean open;

    // The call that is being served. The fields keep their values until the next call. An equal reference is not stored
    // again, because with G1 each store costs a fence.
    private @Nullable ServerSession session;
    private @Nullable ServerSlot slot;
    private ServiceExport.@Nullable Method method;
    private int entry;
    private long offset;
    private int length;
    private boolean metadata;
    private long arrivedNanos;
    private long deadlineNanos;
    private boolean entryPassedOn;
    private @Nullable RdmaMessageTooLargeException tooLarge;

    InlineCall(ServerParts parts) {
        this.parts = parts;
        this.responses = parts.responses();
        this.ring = parts.ring();
    }

    /** Runs the handler; returns true if the ring entry was passed on. */
    boolean serve(
            BytesHandler handler,
            ServerSession from,
            ServerSlot at,
            ServiceExport.Method called,
            ReceivedHeader packet,
            long arrived,
            long deadline) {
        refer(from, at, called);
        open = true;
        entry = packet.entry;
        offset = packet.payloadAt;
        length = packet.payloadBytes;
        metadata = packet.hasMetadata();
        arrivedNanos = arrived;
        deadlineNanos = deadline;
        entryPassedOn = false;
        tooLarge = null;
        try {
            handler.serve(this);
            if (open) {
                fail(RpcStatus.HANDLER_FAILED, "the handler returned without a response");
            }
        } catch (Throwable e) {
            failWith(e);
        }
        dropResponse();
        return entryPassedOn;
    }

    @SuppressWarnings("ReferenceEquality") // identity of the objects
    private void refer(ServerSession from, ServerSlot at, ServiceExport.Method called) {
        if (session != from) {
            session = from;
        }
        if (slot != at) {
            slot = at;
        }
        if (method != called) {
            method = called;
        }
    }

    private void failWith(Throwable failure) {
        if (!open) {
            System.getLogger(InlineCall.class.getName())
                    .log(System.Logger.Level.ERROR, "a handler threw an exception after it had responded", failure);
            return;
        }
        defer().fail(
                        isOfThisCall(failure) ? RpcStatus.MESSAGE_TOO_LARGE : RpcStatus.HANDLER_FAILED,
                        failure.getClass().getName(),
                        FailureMessage.of(failure));
    }

    @SuppressWarnings("ReferenceEquality") // identity of the exception
    private boolean isOfThisCall(Throwable thrown) {
        return thrown == tooLarge;
    }

    private void dropResponse() {
        MessageBuffer unsent = response;
        if (unsent != null && unsent.isOpen()) {
            unsent.close();
        }
    }

    private ServerSession session() {
        ServerSession current = session;
        if (!open || current == null) {
            throw new IllegalStateException(
                    "this object serves no call now: the call has a response or was deferred, or the handler's"
                            + " method has returned");
        }
        return current;
    }

    @Override
    public int methodId() {
        session();
        return Expect.present(method).id();
    }

    @Override
    public long remainingNanos() {
        session();
        return deadlineNanos - parts.context().clock().nanoTime();
    }

    @Override
    public String peer() {
        return session().info().peer();
    }

    @Override
    public PeerIdentity identity() {
        return session().info().identity();
    }

    @Override
    public boolean hasMetadata() {
        session();
        return metadata;
    }

    @Override
    public MemorySegment memory() {
        session();
        return ring.memory();
    }

    @Override
    public long offset() {
        return offset;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // identity of the handle
    public MessageBuffer response(int capacityBytes) {
        try {
            MessageBuffer opened = session().open(response, capacityBytes);
            if (response != opened) {
                response = opened;
            }
            return opened;
        } catch (RdmaMessageTooLargeException e) {
            tooLarge = e;
            throw e;
        }
    }

    @Override
    public void respond() {
        ServerSession current = session();
        MessageBuffer ready = response;
        if (ready == null || !ready.isOpen()) {
            throw new IllegalStateException("there is no response to send: call response() and fill it first");
        }
        int responseLength = ready.messageBytes();
        RegisteredBlock block = ready.take();
        if (current.suits(block, responseLength) && respondsAtOnce(current, block, responseLength)) {
            open = false;
        } else {
            // There is no packet memory now, or the response is in other memory. An IncomingCall holds it until it can
            // be sent.
            incoming().respondLater(block, responseLength);
        }
    }

    /** If the engine throws, the handler receives the exception, its call fails, and the memory is freed. */
    private boolean respondsAtOnce(ServerSession current, RegisteredBlock block, int responseLength) {
        ServerSlot at = Expect.present(slot);
        try {
            return responses.respondAtOnce(current, at, block, responseLength);
        } catch (Throwable e) {
            if (at.is(ServerSlot.State.EXECUTING) && at.lent == null) {
                block.free();
            }
            throw e;
        }
    }

    @Override
    public void fail(RpcStatus status, String message) {
        defer().fail(status, "", message);
    }

    @Override
    public RpcRequest defer() {
        return incoming();
    }

    /** Moves the call to an {@link IncomingCall}, which other threads may use. */
    private IncomingCall incoming() {
        ServerSession current = session();
        open = false;
        entryPassedOn = true;
        IncomingCall call = new IncomingCall(
                parts,
                current,
                Expect.present(slot),
                Expect.present(method),
                ring.lend(entry, offset, length),
                metadata,
                arrivedNanos,
                deadlineNanos);
        call.slot.call = call;
        return call;
    }
}
