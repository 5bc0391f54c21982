package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BytesHandler;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.ServedCall;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.error.RpcStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A call that a bytes handler serves on the polling thread")
class InlineCallTest {

    private static final int METHOD = 77;

    private final EngineRig rig = new EngineRig();
    private final ServerSession session = rig.server();
    private long index = EngineRig.FIRST;

    @AfterEach
    void nothingLeft() {
        rig.close();
    }

    private void serve(BytesHandler handler) {
        rig.serve(METHOD, handler, null);
    }

    private Packet call(byte[] arguments) {
        rig.receive(Packet.request(session, index++, METHOD, arguments));
        return rig.onlySent();
    }

    static void echo(ServedCall call) {
        MessageBuffer response = call.response(call.length());
        MemorySegment.copy(call.memory(), call.offset(), response.segment(), 0, call.length());
        response.length(call.length());
        call.respond();
    }

    @Test
    @DisplayName("is completed in the duty cycle that received it, and its ring entry is posted again")
    void whenTheHandlerRespondsThenTheResponseIsSentAtOnce() {
        serve(InlineCallTest::echo);

        assertThat(call(EngineRig.bytes(32)).body()).isEqualTo(EngineRig.bytes(32));
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);
    }

    @Test
    @DisplayName("sends its response before its handler has returned, unless more messages have arrived with it")
    void whenNoOtherMessageHasArrivedThenTheResponseDoesNotWaitForTheEndOfTheCycle() {
        List<Integer> sent = new ArrayList<>();
        serve(call -> {
            echo(call);
            sent.add(rig.sent().size());
        });
        for (int i = 0; i < 3; i++) {
            Packet request = Packet.request(session, index++, METHOD, EngineRig.bytes(5));
            rig.nic.receive(request.bytes(), EngineRig.PEER_QPN, EngineRig.PEER_GID);
        }
        rig.runLoop();

        // The last response is sent with those before it.
        assertThat(sent).containsExactly(0, 0, 3);
    }

    @Test
    @DisplayName("in an object of its own also sends its response before its handler has returned")
    void whenServedByARequestHandlerThenTheResponseDoesNotWaitEither() {
        List<Integer> sent = new ArrayList<>();
        assertThat(rig.loop.ownership().tryAcquire()).isTrue();
        rig.serve(
                METHOD,
                (RpcRequest request) -> {
                    EngineRig.respond(request, EngineRig.bytes(5));
                    sent.add(rig.sent().size());
                },
                null);
        rig.receive(Packet.request(session, index++, METHOD, EngineRig.bytes(5)));

        assertThat(sent).containsExactly(1);
    }

    @Test
    @DisplayName("is served by the same object as the one before, with the same buffer")
    void whenServedThenObjectsAreTheSame() {
        List<Object> seen = new ArrayList<>();
        serve(call -> {
            seen.add(call);
            seen.add(call.response(8));
            echo(call);
        });
        call(EngineRig.bytes(1));
        call(EngineRig.bytes(2));

        assertThat(seen.get(2)).isSameAs(seen.get(0));
        assertThat(seen.get(3)).isSameAs(seen.get(1));
    }

    @Test
    @DisplayName("cannot get two responses")
    void whenItHasAResponseThenItIsOver() {
        List<Throwable> failures = new ArrayList<>();
        serve(call -> {
            echo(call);
            try {
                call.fail(RpcStatus.INTERNAL, "again");
            } catch (IllegalStateException e) {
                failures.add(e);
            }
        });
        call(EngineRig.bytes(3));

        assertThat(failures).hasSize(1);
    }

    @Test
    @DisplayName("cannot be accessed after the handler has returned")
    void whenTheHandlerHasReturnedThenNothingIsAccessible() {
        List<ServedCall> kept = new ArrayList<>();
        serve(call -> {
            kept.add(call);
            echo(call);
        });
        call(EngineRig.bytes(3));

        assertThatIllegalStateException().isThrownBy(() -> kept.getFirst().memory());
        assertThatIllegalStateException().isThrownBy(() -> kept.getFirst().response(1));
        assertThatIllegalStateException().isThrownBy(() -> kept.getFirst().defer());
    }

    @Test
    @DisplayName("fails without a response of its handler")
    void whenTheHandlerReturnsWithoutAResponseThenTheCallFails() {
        serve(call -> call.response(8).length(4));

        Packet response = call(EngineRig.bytes(3));

        assertThat(RpcStatus.of(response.status())).isEqualTo(RpcStatus.HANDLER_FAILED);
        assertThat(response.failureText().message()).contains("without a response");
    }

    @Test
    @DisplayName("fails with the exception of its handler")
    void whenTheHandlerThrowsThenTheCallFails() {
        serve(call -> {
            throw new IllegalArgumentException("no stock");
        });

        Packet response = call(EngineRig.bytes(3));

        assertThat(response.failureText().type()).isEqualTo(IllegalArgumentException.class.getName());
        assertThat(response.failureText().message()).isEqualTo("no stock");
    }

    @Test
    @DisplayName("can be completed later after it was deferred, and keeps its arguments until then")
    void whenDeferredThenItIsCompletedLater() {
        List<RpcRequest> deferred = new ArrayList<>();
        serve(call -> deferred.add(call.defer()));
        rig.receive(Packet.request(session, index, METHOD, EngineRig.bytes(5)));
        assertThat(rig.sent()).isEmpty();
        RpcRequest request = deferred.getFirst();
        EngineRig.respond(request, request.message().payload().toArray(ValueLayout.JAVA_BYTE));
        rig.runLoop();

        assertThat(rig.onlySent().body()).isEqualTo(EngineRig.bytes(5));
    }

    @Test
    @DisplayName("runs once if its request arrives twice")
    void whenRetransmittedThenTheResponseOfItsSlotIsSent() {
        int[] served = new int[1];
        serve(call -> {
            served[0]++;
            echo(call);
        });
        call(EngineRig.bytes(5));
        index--;
        Packet again = call(EngineRig.bytes(5));

        assertThat(served[0]).isOne();
        assertThat(again.body()).isEqualTo(EngineRig.bytes(5));
    }

    @Test
    @DisplayName("may have a large response, which the peer READs")
    void whenTheResponseIsLargeThenItIsLent() {
        byte[] large = EngineRig.bytes(5000);
        serve(call -> {
            MessageBuffer response = call.response(large.length);
            EngineRig.filled(response, large);
            call.respond();
        });

        Packet response = call(EngineRig.bytes(5));

        assertThat(rig.lentBytes(response)).isEqualTo(large);
    }

    @Test
    @DisplayName("is served with large arguments as well")
    void whenTheArgumentsAreLargeThenTheyWereRead() {
        byte[] large = EngineRig.bytes(5000);
        serve(call -> {
            MessageBuffer response = call.response(4);
            response.segment().set(ValueLayout.JAVA_INT, 0, call.length());
            response.length(4);
            call.respond();
        });
        rig.connect(session);
        rig.receive(Packet.largeRequest(session, index, METHOD, large.length, 0x1000, 7));
        rig.onlyRead().complete(large, 0x1000);
        rig.runLoop();

        assertThat(MemorySegment.ofArray(rig.onlySent().body()).get(ValueLayout.JAVA_INT_UNALIGNED, 0))
                .isEqualTo(5000);
    }
}
