package io.rdmarpc.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.remote.RemoteMemoryException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
@DisplayName("Questions to a peer")
class QuestionsTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final List<String> events = new ArrayList<>();

    /** Answers each question before the one who asks has it sent, and says something else right behind. */
    private Questions answeredAtOnce(LinkMessage answer) {
        Questions[] made = new Questions[1];
        made[0] = new Questions(
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
                .ask(new LinkMessage.Free(1), LinkMessage.Freed.class, _ -> {
                    events.add("used");
                    return null;
                });
        assertThat(end).isCompleted();
        assertThat(events).containsExactly("used", "the next words");
    }

    @Test
    @DisplayName("a refusal is the failure, with the owner's reason; so is an answer to something else")
    void whenRefusedThenTheReasonIsTold() {
        LinkMessage refusal = new LinkMessage.Refused(Reason.QUOTA, "it is full");
        assertThat(Memories.reasonOf(
                        answeredAtOnce(refusal).ask(new LinkMessage.Free(1), LinkMessage.Freed.class, _ -> "used")))
                .isEqualTo(Reason.QUOTA);
        assertThat(Memories.reasonOf(answeredAtOnce(new LinkMessage.Renewed(1))
                        .ask(new LinkMessage.Free(1), LinkMessage.Freed.class, _ -> "used")))
                .isEqualTo(Reason.PROTOCOL);
    }

    @Test
    @DisplayName("without an answer they end in time, and an answer that comes later finds nobody")
    void whenNobodyAnswersThenTheyTimeOut() {
        int[] asked = new int[1];
        Questions questions = new Questions((number, _) -> asked[0] = number, "the peer", Duration.ofMillis(1));
        assertThat(Memories.reasonOf(questions.ask(new LinkMessage.Free(1), LinkMessage.Freed.class, _ -> "used")))
                .isEqualTo(Reason.TIMED_OUT);
        assertThat(questions.answer(asked[0], new LinkMessage.Freed())).isFalse();
    }

    @Test
    @DisplayName("all end with the peer, also those that are asked later")
    void whenThePeerIsGoneThenAllEnd() {
        Questions questions = new Questions((_, _) -> events.add("sent"), "the peer", LONG);
        CompletableFuture<String> before = questions.ask(new LinkMessage.Free(1), LinkMessage.Freed.class, _ -> "used");
        questions.fail(new RemoteMemoryException(Reason.LOST, "gone"));
        assertThat(Memories.reasonOf(before)).isEqualTo(Reason.LOST);
        assertThat(Memories.reasonOf(questions.ask(new LinkMessage.Free(1), LinkMessage.Freed.class, _ -> "used")))
                .isEqualTo(Reason.LOST);
        assertThat(events).containsExactly("sent");
    }
}
