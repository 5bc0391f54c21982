package io.rdmarpc.docs;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BytesHandler;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.message.MessageView;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** A service on bytes that adds numbers, and a client that waits for the sum. */
final class HelloEngine {

    private static final int SUM = ServiceContract.methodId("calculator", "long sum(long...)");

    private HelloEngine() {}

    static RpcServer serve(RdmaRuntime runtime) {
        BytesHandler sum = call -> {
            long total = 0;
            for (long at = 0; at < call.length(); at += Long.BYTES) {
                total += call.memory().get(ValueLayout.JAVA_LONG_UNALIGNED, call.offset() + at);
            }
            MessageBuffer response = call.response(Long.BYTES);
            response.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, total);
            response.length(Long.BYTES);
            call.respond();
        };
        ServiceContract contract = new ServiceContract(
                "calculator", List.of(new ServiceContract.Method(SUM, "long sum(long...)")), List.of());
        runtime.export(new ServiceExport(contract, List.of(new ServiceExport.Method(SUM, sum, null))));
        return runtime.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    static long sum(RdmaRuntime runtime, InetSocketAddress server, long... numbers) {
        try (RpcChannel channel = runtime.channel("calculator", server)) {
            RpcSession session = channel.session(Duration.ofSeconds(5));
            try (RpcCall call = session.prepareCall(RpcCall.End.NONE)) {
                MessageBuffer request = call.request(numbers.length * Long.BYTES);
                for (int i = 0; i < numbers.length; i++) {
                    request.segment().setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, numbers[i]);
                }
                request.length(numbers.length * Long.BYTES);
                MessageView response = call.call(SUM, Duration.ofSeconds(3).toNanos());
                return response.memory().get(ValueLayout.JAVA_LONG_UNALIGNED, response.offset());
            }
        }
    }
}
