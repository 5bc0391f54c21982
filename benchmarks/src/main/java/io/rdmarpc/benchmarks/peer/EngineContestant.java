package io.rdmarpc.benchmarks.peer;

import io.rdmarpc.benchmarks.EchoHandler;
import io.rdmarpc.benchmarks.load.CallMode;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Contestant;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.load.Pipeline;
import io.rdmarpc.benchmarks.load.Stamp;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServedCall;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.message.MessageView;
import io.rdmarpc.rpc.runtime.IdlePolicy;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The RPC engine with bytes as payload. The server's polling thread never sleeps and runs the handler. The handler
 * reads the request in place and copies it to the response, from registered memory to registered memory. The client
 * fills and reads every byte of requests and responses in place. A blocking caller runs the event loop itself. A
 * pipeline's thread calls {@link RdmaRuntime#doWork}.
 *
 * @param link link between the two processes
 * @param arrays whether both sides copy into a {@code byte[]} of their own instead of using message buffers in place
 * @param batching whether small messages share packets
 * @param nics number of the server's NICs, each with a runtime of its own; the client's pipelines use them in turn
 * @param threads number of polling threads of each of the server's runtimes
 */
record EngineContestant(BenchmarkLink link, boolean arrays, boolean batching, int nics, int threads)
        implements Contestant {

    /** Window of a session: the maximum number of outstanding calls in all benchmarks. */
    private static final int WINDOW = 128;

    private static final String PORT_SEPARATOR = ",";
    private static final Duration CONNECT = Duration.ofSeconds(20);
    private static final long TIMEOUT = Duration.ofSeconds(20).toNanos();

    /** Creates a contestant whose server has one NIC and one polling thread. */
    EngineContestant(BenchmarkLink link, boolean arrays, boolean batching) {
        this(link, arrays, batching, 1, 1);
    }

    private RdmaRuntime open(PollingConfig polling) {
        RpcConfig config = RpcConfig.DEFAULTS.toBuilder()
                .maxInFlight(WINDOW)
                .traffic(RpcConfig.DEFAULTS.traffic().withBatching(batching))
                .build();
        return RdmaRuntime.open(link.nic(), config, polling);
    }

    @Override
    public CallMode mode(Payload payload, Callers callers) {
        return new CallMode(
                arrays ? "byte[]" : "message buffers",
                "inline on the polling thread",
                "busy polling thread at the server, "
                        + switch (callers) {
                            case ASYNC -> "the calling thread's doWork at the client";
                            case PLATFORM -> "the waiting caller at the client";
                            case VIRTUAL -> "adaptive polling thread at the client";
                        });
    }

    @Override
    public Server serve() {
        List<RdmaRuntime> runtimes = new ArrayList<>();
        List<String> ports = new ArrayList<>();
        for (int i = 0; i < nics; i++) {
            RdmaRuntime runtime =
                    open(PollingConfig.DEFAULTS.withThreads(threads).withIdleStrategy(IdlePolicy.BUSY));
            runtimes.add(runtime);
            runtime.export(EchoHandler.export(arrays ? EngineContestant::echoArray : EchoHandler::echo));
            RpcServer server = runtime.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            ports.add(Integer.toString(server.address().getPort()));
        }
        return new Server() {
            @Override
            public String address() {
                return String.join(PORT_SEPARATOR, ports);
            }

            @Override
            public void close() {
                runtimes.forEach(RdmaRuntime::close);
            }
        };
    }

    private static void echoArray(ServedCall call) {
        byte[] bytes = arrayOf(call);
        MessageBuffer response = call.response(bytes.length);
        response.copyFrom(MemorySegment.ofArray(bytes), 0, bytes.length);
        call.respond();
    }

    private static byte[] arrayOf(MessageView view) {
        byte[] bytes = new byte[view.length()];
        MemorySegment.copy(view.memory(), ValueLayout.JAVA_BYTE, view.offset(), bytes, 0, bytes.length);
        return bytes;
    }

    @Override
    public Client connect(String address) {
        return new EngineClient(Arrays.stream(address.split(PORT_SEPARATOR, -1))
                .map(port -> new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port)))
                .toList());
    }

    /** Opens its runtimes on first use. */
    private final class EngineClient implements Client {

        private final List<InetSocketAddress> servers;
        private final List<RdmaRuntime> runtimes = new ArrayList<>();
        private volatile @Nullable RpcSession waiting;
        private int pipelines;

        EngineClient(List<InetSocketAddress> servers) {
            this.servers = servers;
        }

        private RdmaRuntime newRuntime(PollingConfig polling) {
            RdmaRuntime runtime = open(polling);
            runtimes.add(runtime);
            return runtime;
        }

        private RpcSession session(RdmaRuntime runtime, InetSocketAddress server) {
            // Closing the runtime closes the channel.
            RpcChannel channel = runtime.channel("benchmark", server);
            return channel.session(CONNECT);
        }

        private synchronized RpcSession waitingSession() {
            RpcSession session = waiting;
            if (session == null) {
                session = session(newRuntime(PollingConfig.DEFAULTS), servers.getFirst());
                waiting = session;
            }
            return session;
        }

        @Override
        public Caller caller(Payload payload) {
            RpcCall call = waitingSession().prepareCall(RpcCall.End.NONE);
            Message message = new Message(payload.bytes());
            return new Caller() {
                @Override
                public void call() {
                    message.write(call);
                    message.check(call.call(EchoHandler.ECHO, TIMEOUT));
                    call.release();
                }

                @Override
                public void close() {
                    call.close();
                }
            };
        }

        @Override
        public Pipeline pipeline(Payload payload, int outstanding, Pipeline.Ends ends) {
            RdmaRuntime runtime = newRuntime(PollingConfig.USER_DRIVEN);
            InetSocketAddress server = servers.get(pipelines++ % servers.size());
            RpcSession[] sessions = new RpcSession[(outstanding + WINDOW - 1) / WINDOW];
            for (int i = 0; i < sessions.length; i++) {
                sessions[i] = session(runtime, server);
            }
            RpcCall[] calls = new RpcCall[outstanding];
            Message[] messages = new Message[outstanding];
            for (int i = 0; i < outstanding; i++) {
                int slot = i;
                messages[i] = new Message(payload.bytes());
                calls[i] = sessions[i % sessions.length].prepareCall(call -> {
                    messages[slot].check(call.response());
                    ends.ended(slot);
                });
            }
            return new Pipeline() {
                @Override
                public void start(int slot) {
                    messages[slot].write(calls[slot]);
                    calls[slot].start(EchoHandler.ECHO, TIMEOUT);
                }

                @Override
                public boolean isCallerDriven() {
                    return true;
                }

                @Override
                public void doWork() {
                    if (runtime.doWork() == 0) {
                        Thread.onSpinWait();
                    }
                }

                @Override
                public void close() {
                    runtimes.remove(runtime);
                    runtime.close();
                }
            };
        }

        @Override
        public void close() {
            runtimes.forEach(RdmaRuntime::close);
        }
    }

    /** The message of one call. One thread at a time uses it. */
    private final class Message {

        private final int length;
        private final byte[] array;
        private long number;

        Message(int length) {
            this.length = length;
            this.array = new byte[arrays ? length : 0];
        }

        void write(RpcCall call) {
            MessageBuffer request = call.request(length);
            number++;
            if (arrays) {
                Stamp.write(array, number);
                request.copyFrom(MemorySegment.ofArray(array), 0, length);
            } else {
                Stamp.write(request.segment(), length, number);
                request.length(length);
            }
        }

        void check(MessageView response) {
            if (arrays) {
                Stamp.check(arrayOf(response), length, number);
            } else {
                Stamp.check(response.memory(), response.offset(), response.length(), length, number);
            }
        }
    }
}
