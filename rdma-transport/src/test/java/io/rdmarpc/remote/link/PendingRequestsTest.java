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
@DisplayName("Requests to a peer")
class PendingRequestsTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final List<String> events = new ArrayList<>();

    /** Returns an instance whose requests are completed before their send returns; another message follows at once. */
    private PendingRequests completedAtOnce(LinkMessage response) {
        PendingRequests[] made = new PendingRequests[1];
        made[0] = new PendingRequests(
                (number, _) -> {
                    assertThat(made[0].complete(number, response)).isTrue();
                    events.add("next message");
                },
                "the peer",
                LONG);
        return made[0];
    }

    @Test
    @DisplayName("handle a response before the peer's next message, even if it arrives at once")
    void whenTheResponseIsFastThenItIsHandledBeforeTheNextMessage() {
        CompletableFuture<Void> end = completedAtOnce(new LinkMessage.Freed())
                .send(new LinkMessage.Free(1), LinkMessage.Freed.class, _ -> {
                    events.add("used");
                    return null;
                });
        assertThat(end).isCompleted();
        assertThat(events).containsExactly("used", "next message");
    }

    @Test
    @DisplayName("fail with the owner's reason on a rejection, and on a response of another type")
    void whenRejectedThenTheReasonIsReported() {
        LinkMessage rejection = new LinkMessage.Rejected(Reason.QUOTA, "it is full");
        assertThat(Memories.reasonOf(
                        completedAtOnce(rejection).send(new LinkMessage.Free(1), LinkMessage.Freed.class, _ -> "used")))
                .isEqualTo(Reason.QUOTA);
        assertThat(Memories.reasonOf(completedAtOnce(new LinkMessage.Renewed(1))
                        .send(new LinkMessage.Free(1), LinkMessage.Freed.class, _ -> "used")))
                .isEqualTo(Reason.PROTOCOL);
    }

    @Test
    @DisplayName("time out without a response, and ignore a late response")
    void whenNoResponseArrivesThenTheyTimeOut() {
        int[] numbers = new int[1];
        PendingRequests requests =
                new PendingRequests((number, _) -> numbers[0] = number, "the peer", Duration.ofMillis(1));
        assertThat(Memories.reasonOf(requests.send(new LinkMessage.Free(1), LinkMessage.Freed.class, _ -> "used")))
                .isEqualTo(Reason.TIMED_OUT);
        assertThat(requests.complete(numbers[0], new LinkMessage.Freed())).isFalse();
    }

    @Test
    @DisplayName("fail when the link ends, including later ones")
    void whenTheLinkEndsThenAllFail() {
        PendingRequests requests = new PendingRequests((_, _) -> events.add("sent"), "the peer", LONG);
        CompletableFuture<String> before = requests.send(new LinkMessage.Free(1), LinkMessage.Freed.class, _ -> "used");
        requests.fail(new RdmaRemoteMemoryException(Reason.LOST, "gone"));
        assertThat(Memories.reasonOf(before)).isEqualTo(Reason.LOST);
        assertThat(Memories.reasonOf(requests.send(new LinkMessage.Free(1), LinkMessage.Freed.class, _ -> "used")))
                .isEqualTo(Reason.LOST);
        assertThat(events).containsExactly("sent");
    }
}
