package io.rdmarpc.demo.live.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TurnstileTest {

    private final Turnstile turnstile = new Turnstile();

    @Test
    void whenItIsClosedThenNoCallerEnters() throws InterruptedException {
        // An entry that does not happen has no event, so the test waits for a short limit.
        assertThat(turnstile.enter(Duration.ofMillis(1))).isFalse();
        assertThat(turnstile.inside()).isZero();
    }

    @Test
    void whenItOpensThenWaitingCallersEnter() throws InterruptedException {
        Thread waiting = Thread.ofVirtual().start(() -> {
            try {
                turnstile.enter();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        turnstile.open();
        waiting.join();

        assertThat(turnstile.inside()).isOne();
    }

    @Test
    void whenItClosesThenItIsEmptyOnlyAfterCallersLeave() throws InterruptedException {
        turnstile.open();
        turnstile.enter();
        turnstile.close();

        // Both calls can only end by their limit while the caller is inside.
        assertThat(turnstile.enter(Duration.ofMillis(1))).isFalse();
        assertThat(turnstile.awaitEmpty(Duration.ofMillis(1))).isFalse();
        turnstile.leave();
        assertThat(turnstile.awaitEmpty(Duration.ofMillis(1))).isTrue();
    }
}
