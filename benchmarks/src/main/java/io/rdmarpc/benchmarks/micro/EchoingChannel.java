package io.rdmarpc.benchmarks.micro;

import io.rdmarpc.benchmarks.peer.PacketMemory;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.RpcStream;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.SessionInfo;
import io.rdmarpc.rpc.StreamReceiver;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.stats.RoundTripStatistics;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/** A session to an imaginary echo server: it returns the request as the response at once, on the caller's thread. */
final class EchoingChannel implements RpcChannel, RpcSession {

    private final Queue<PacketMemory> opened = new ConcurrentLinkedQueue<>();
    private final Supplier<PacketMemory> memory;

    EchoingChannel() {
        PacketMemory common = open();
        this.memory = () -> common;
    }

    private EchoingChannel(ThreadLocal<PacketMemory> memories) {
        this.memory = memories::get;
    }

    static EchoingChannel withMemoryOfEachThread() {
        EchoingChannel[] channel = new EchoingChannel[1];
        channel[0] = new EchoingChannel(ThreadLocal.withInitial(() -> channel[0].open()));
        return channel[0];
    }

    private PacketMemory open() {
        PacketMemory fresh = PacketMemory.open();
        opened.add(fresh);
        return fresh;
    }

    /** The request as a response. */
    private record Echo(MessageBuffer buffer) implements InboundMessage {

        @Override
        public MemorySegment payload() {
            return buffer.segment().asSlice(0, buffer.length());
        }

        @Override
        public int length() {
            return buffer.length();
        }

        @Override
        public void close() {
            buffer.close();
        }
    }

    @Override
    public RpcSession session(Duration timeout) {
        return this;
    }

    @Override
    public void verify(RpcSession session, ServiceContract contract) {
        // Accepts every contract.
    }

    @Override
    public void verify(RpcSession session, ServiceContract contract, Duration timeout) {
        verify(session, contract);
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public void call(int methodId, MessageBuffer request, long timeoutNanos, ResponseHandler handler) {
        handler.onResponse(new Echo(request));
    }

    @Override
    public RpcCall prepareCall(RpcCall.End end) {
        throw new UnsupportedOperationException("this benchmark supports only calls of proxies");
    }

    @Override
    public RpcStream openStream(int methodId, int credits, long timeoutNanos, StreamReceiver receiver) {
        throw new UnsupportedOperationException("this benchmark supports only calls of proxies");
    }

    @Override
    public void cancel(ResponseHandler handler) {
        // There is nothing to cancel, because every call has ended.
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public int callsInFlight() {
        return 0;
    }

    @Override
    public int openStreams() {
        return 0;
    }

    @Override
    public SessionInfo info() {
        return new SessionInfo("here", "none", "none", 4096, 1, memory.get().maxMessageBytes());
    }

    @Override
    public RoundTripStatistics roundTrips() {
        return new RoundTripStatistics(0, 0, 0, 0, List.of());
    }

    @Override
    public MessageBuffer allocate(int capacityBytes) {
        return memory.get().allocate(capacityBytes);
    }

    @Override
    public int maxPacketPayload() {
        return memory.get().maxPacketPayload();
    }

    @Override
    public int maxMessageBytes() {
        return memory.get().maxMessageBytes();
    }

    @Override
    public void close() {
        opened.forEach(PacketMemory::close);
    }
}
