package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.ECHO;
import static io.rdmarpc.rpc.engine.EngineRig.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ObservedResponseHandler;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A handler that is notified when its call has left the queue. */
class ObservedCallTest {

    private static final byte[] HELLO = EngineRig.bytes(11);

    private final EngineRig rig = new EngineRig();
    private final ClientSession session = rig.client();
    private final List<String> notifications = new ArrayList<>();

    @AfterEach
    void close() {
        rig.close();
    }

    private void call(Runnable onSend) {
        MessageBuffer request = EngineRig.filled(session.allocate(HELLO.length), HELLO);
        session.call(ECHO, request, Duration.ofMinutes(1).toNanos(), new ObservedResponseHandler() {
            @Override
            public void onSend() {
                notifications.add("sent");
                onSend.run();
            }

            @Override
            public void onResponse(InboundMessage response) {
                notifications.add("responded");
                response.close();
            }

            @Override
            public void onFailure(RdmaRpcException failure) {
                notifications.add("failed");
            }
        });
    }

    @Test
    void whenTheRequestIsInItsPacketThenTheHandlerIsNotified() {
        call(() -> {});
        assertThat(notifications).isEmpty();

        rig.runLoop();

        assertThat(notifications).containsExactly("sent");
    }

    @Test
    void whenTheRequestIsRetransmittedThenTheHandlerIsNotNotified() {
        call(() -> {});
        rig.runLoop();
        rig.pass(Duration.ofSeconds(1));

        assertThat(rig.sent()).hasSizeGreaterThan(1);
        assertThat(notifications).containsExactly("sent");
    }

    @Test
    void whenTheWindowIsFullThenTheHandlerIsNotNotified() {
        for (int i = 0; i < WINDOW; i++) {
            rig.call(session, HELLO);
        }
        call(() -> {});
        rig.runLoop();

        assertThat(rig.sent()).hasSize(WINDOW);
        assertThat(notifications).isEmpty();
    }

    @Test
    void whenTheHandlerThrowsThenTheCallContinues() {
        call(() -> {
            throw new IllegalStateException("from a test");
        });
        rig.runLoop();

        assertThat(rig.sent()).hasSize(1);
        assertThat(session.activeSlots).isOne();
    }
}
