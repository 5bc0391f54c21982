package io.rdmarpc.remote.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.remote.Memories;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.wire.LinkMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
@DisplayName("Questions to a peer")
class PendingRequestsTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final List<String> events = new ArrayList<>();

    /** Answers each request before the one who asks has it sent, and says something else right behind. */
    private PendingRequests answeredAtOnce(LinkMessage answer) {
        PendingRequests[] made = new PendingRequests[1];
        made[0] = new PendingRequests(
                (number, _) -> {
                    assertThat(made[0].answer(number, answer)).isTrue();
                    events.add("the next words");
                },
                "the peer",
                LONG);
        return made[0];
    }

    @Test
    @DisplayName("an answer is used before the peer's next words, however fast it comes")
    void whenTheAnswerIsFastThenItIsUsedBeforeTheNextWords() {
        CompletableFuture<Void> end = answeredAtOnce(new LinkMessage.Freed())
                .send(new LinkMessage.Free(1), LinkMessage.Freed.class, _ -> {
                    events.add("used");
                    return null;
                });
        assertThat(end).isCompleted();
        assertThat(events).containsExactly("used", "the next words");
    }

    @Test
    @DisplayName("a rejection is the failure, with the owner's reason; so is an answer to something else")
    void whenRefusedThenTheReasonIsTold() {
        LinkMessage rejection = new LinkMessage.Rejected(Reason.QUOTA, "it is full");
        assertThat(Memories.reasonOf(
                        answeredAtOnce(rejection).send(new LinkMessage.Free(1), LinkMessage.Freed.class, _ -> "used")))
                .isEqualTo(Reason.QUOTA);
        assertThat(Memories.reasonOf(answeredAtOnce(new LinkMessage.Renewed(1))
                        .send(new LinkMessage.Free(1), LinkMessage.Freed.class, _ -> "used")))
                .isEqualTo(Reason.PROTOCOL);
    }

    @Test
    @DisplayName("without an answer they end in time, and an answer that comes later finds nobody")
    void whenNobodyAnswersThenTheyTimeOut() {
        int[] asked = new int[1];
        PendingRequests requests =
                new PendingRequests((number, _) -> asked[0] = number, "the peer", Duration.ofMillis(1));
        assertThat(Memories.reasonOf(requests.send(new LinkMessage.Free(1), LinkMessage.Freed.class, _ -> "used")))
                .isEqualTo(Reason.TIMED_OUT);
        assertThat(requests.answer(asked[0], new LinkMessage.Freed())).isFalse();
    }

    @Test
    @DisplayName("all end with the peer, also those that are asked later")
    void whenThePeerIsGoneThenAllEnd() {
        PendingRequests requests = new PendingRequests((_, _) -> events.add("sent"), "the peer", LONG);
        CompletableFuture<String> before = requests.send(new LinkMessage.Free(1), LinkMessage.Freed.class, _ -> "used");
        requests.fail(new RdmaRemoteMemoryException(Reason.LOST, "gone"));
        assertThat(Memories.reasonOf(before)).isEqualTo(Reason.LOST);
        assertThat(Memories.reasonOf(requests.send(new LinkMessage.Free(1), LinkMessage.Freed.class, _ -> "used")))
                .isEqualTo(Reason.LOST);
        assertThat(events).containsExactly("sent");
    }
}
