package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A very long sequence of calls; {@code rdma.test.calls} sets the number. */
@Timeout(600)
@ParameterizedClass
@EnumSource
class LongRowTest {

    private static final int CALLS = Integer.getInteger("rdma.test.calls", 10_000);
    /** One tenth of the small calls. */
    private static final int LARGE_CALLS = CALLS / 10;

    private static final int LARGE = 16 << 10;
    private static final int LENGTHS = 7;
    /** Less than a hundred messages, because more messages may be in flight for a moment than at the beginning. */
    private static final int CHUNK = 1 << 20;

    private static final ServiceContract.Method SIZED = new ServiceContract.Method(
            ServiceContract.methodId("test.Sized", "byte[] sized(byte[])"), "byte[] sized(byte[])");

    @Parameter
    SoftLink link;

    private ExecutorService executor;
    private RdmaRuntime serving;
    private RdmaRuntime calling;
    private RpcSession session;

    @BeforeEach
    void open() {
        executor = Executors.newVirtualThreadPerTaskExecutor();
        serving = Runtimes.open(link.options());
        calling = Runtimes.open(link.options());
        serving.export(Echo.export(executor));
        serving.export(new ServiceExport(
                new ServiceContract("test.Sized", List.of(SIZED), List.of()),
                List.of(new ServiceExport.Method(SIZED.id(), LongRowTest::respondSized, null))));
        session = Runtimes.channel(calling, Runtimes.listen(serving)).session(LONG);
    }

    private static void respondSized(RpcRequest request) {
        int length = request.message().payload().get(ValueLayout.JAVA_INT_UNALIGNED, 0);
        EngineCases.respond(request, Echo.payload(length, length));
    }

    @AfterEach
    void close() {
        calling.close();
        serving.close();
        executor.close();
        assertThat(calling.registeredBytes()).isZero();
        assertThat(serving.registeredBytes()).isZero();
    }

    @Test
    @DisplayName("SM-02 FC-07 a sequence of small calls")
    void shouldRespondToSmallCalls() {
        for (int i = 0; i < CALLS; i++) {
            Runtimes.echo(session, Echo.INLINE_ECHO.id(), i % 64, i);
        }
        assertThat(calling.statistics().callsCompleted()).isEqualTo(CALLS);
    }

    @Test
    @DisplayName("LG-01 LG-11 requests of 16 KiB, responses as large: both sides' memory does not grow after the first")
    void shouldNotGrowByLargeRequests() {
        for (int i = 0; i < 100; i++) {
            Runtimes.echo(session, Echo.ECHO.id(), LARGE, i);
        }
        long serverBytes = serving.registeredBytes();
        long clientBytes = calling.registeredBytes();

        for (int i = 0; i < LARGE_CALLS; i++) {
            Runtimes.echo(session, Echo.ECHO.id(), LARGE, i);
        }

        assertThat(serving.registeredBytes()).isLessThan(serverBytes + CHUNK);
        assertThat(calling.registeredBytes()).isLessThan(clientBytes + CHUNK);
    }

    @Test
    @DisplayName("LG-02 responses of about 16 KiB have the length and the bytes that the server set")
    void shouldReceiveLargeResponses() {
        for (int i = 0; i < CALLS; i++) {
            int length = LARGE + i % LENGTHS;
            byte[] request = new byte[Integer.BYTES];
            MemorySegment.ofArray(request).set(ValueLayout.JAVA_INT_UNALIGNED, 0, length);
            byte[] response = Runtimes.get(Echo.call(session, SIZED.id(), request, LONG));
            assertThat(Echo.difference(Echo.payload(length, length), response)).isNull();
        }
    }
}
