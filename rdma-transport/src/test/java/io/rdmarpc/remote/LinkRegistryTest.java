package io.rdmarpc.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.link.LinkRegistry;
import io.rdmarpc.remote.link.PeerLink;
import io.rdmarpc.verbs.error.RdmaException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@DisplayName("Links")
class LinkRegistryTest {

    private final MemoryCore core = MemoryCore.open(
            RemoteMemoryConfig.DEFAULTS.withProvider("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0")),
            NanoClock.SYSTEM);

    @AfterEach
    void close() {
        core.close();
    }

    private PeerLink link(String host, boolean opener) {
        return new PeerLink(core, host, opener, null);
    }

    @Test
    @DisplayName("are removed and do not count if their stream cannot be opened")
    void whenALinkCannotBeOpenedThenItIsRemoved() {
        LinkRegistry links = new LinkRegistry(1);
        for (boolean opener : new boolean[] {true, false}) {
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(() -> links.add(link("host", opener), _ -> {
                        throw new RdmaException("no more streams");
                    }));
        }
        assertThat(links.size()).isZero();
        links.add(link("host", false), _ -> {});
        assertThat(links.size()).isOne();
    }

    @Test
    @DisplayName("complete their greetings when the last link has received HELLO or has ended")
    void whenALinkHasNotReceivedHelloThenGreetingsWait() {
        LinkRegistry links = new LinkRegistry(1);
        assertThat(links.greetings()).isCompleted();
        PeerLink silent = link("host", true);
        links.add(silent, _ -> {});
        CompletableFuture<Void> greetings = links.greetings();
        assertThat(greetings).isNotDone();
        core.threads().onControl(() -> silent.end(new RdmaException("the peer is unreachable")));
        Memories.get(greetings);
    }

    @Test
    @DisplayName("are limited per host; links that this side opens do not count, and each ended link makes room once")
    void whenAHostHasReachedItsLimitThenALinkIsRejected() {
        LinkRegistry links = new LinkRegistry(1);
        PeerLink first = link("one", false);
        links.add(first, _ -> {});
        links.add(link("one", true), _ -> {});
        links.add(link("other", false), _ -> {});
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                .isThrownBy(() -> links.add(link("one", false), _ -> {}))
                .satisfies(rejection -> assertThat(rejection.reason()).isEqualTo(Reason.QUOTA));
        links.remove(first);
        links.remove(first);
        links.add(link("one", false), _ -> {});
        assertThat(links.size()).isEqualTo(3);
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                .isThrownBy(() -> links.add(link("one", false), _ -> {}));
    }
}
