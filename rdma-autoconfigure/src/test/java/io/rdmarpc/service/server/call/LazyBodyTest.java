package io.rdmarpc.service.server.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.service.LoopbackPair;
import io.rdmarpc.service.ServerCallContext;
import io.rdmarpc.service.observation.ObservedServerCalls;
import io.rdmarpc.service.server.security.PeerAuthentication;
import io.rdmarpc.service.server.security.SecurityContextInterceptor;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import reactor.core.publisher.Mono;

@Timeout(20)
@DisplayName("Code of a method that runs after the method has returned")
class LazyBodyTest {

    @RdmaService
    interface Vault {

        @RdmaMethod(timeout = "3s")
        Mono<Long> remainingMillis();

        Mono<String> whoCalls();

        Mono<String> observation();

        Mono<String> elsewhere();
    }

    private final LoopbackPair pair = new LoopbackPair();
    private final ObservationRegistry registry = ObservationRegistry.create();

    private final Vault bean = new Vault() {
        @Override
        public Mono<Long> remainingMillis() {
            return Mono.fromSupplier(() -> Objects.requireNonNull(ServerCallContext.current())
                    .remaining()
                    .toMillis());
        }

        @Override
        public Mono<String> whoCalls() {
            return Mono.fromSupplier(() -> {
                Authentication caller = SecurityContextHolder.getContext().getAuthentication();
                return caller == null ? "nobody" : caller.getName();
            });
        }

        @Override
        public Mono<String> observation() {
            return Mono.fromSupplier(() -> {
                Observation current = registry.getCurrentObservation();
                return current == null
                        ? "none"
                        : String.valueOf(current.getContext().getName());
            });
        }

        @Override
        public Mono<String> elsewhere() {
            return Mono.deferContextual(context -> Mono.delay(Duration.ofMillis(1))
                    .map(_ -> context.get(ServerCallContext.class).method().name()));
        }
    };

    private Vault vault() {
        PeerIdentity peer = new PeerIdentity("here:1", new X500Principal("CN=orders"), List.of());
        registry.observationConfig().observationHandler((ObservationHandler<Observation.Context>) _ -> true);
        pair.serverInterceptors.add(new ObservedServerCalls(registry, null));
        pair.serverInterceptors.add(new SecurityContextInterceptor((_, _) -> new PeerAuthentication(peer, List.of())));
        return pair.connect(Vault.class, bean);
    }

    @AfterEach
    void theThreadHasNoContext() {
        assertThat(SecurityContextHolder.getContext().getAuthentication()).isNull();
        assertThat(registry.getCurrentObservation()).isNull();
    }

    @Test
    void whenAMonoIsSubscribedToThenItsBodySeesItsCall() {
        assertThat(vault().remainingMillis().block()).isBetween(1L, 3_000L);
    }

    @Test
    void whenAMonoIsSubscribedToThenTheCallerIsInTheSecurityContext() {
        assertThat(vault().whoCalls().block()).isEqualTo("CN=orders");
    }

    @Test
    void whenAMonoIsSubscribedToThenItsTraceContinues() {
        assertThat(vault().observation().block()).isEqualTo("rpc.server.call.duration");
    }

    @Test
    void whenAMonoContinuesOnAnotherThreadThenItsCallIsInTheContext() {
        assertThat(vault().elsewhere().block()).isEqualTo("elsewhere");
    }
}
