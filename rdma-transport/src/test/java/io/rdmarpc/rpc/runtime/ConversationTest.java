package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A {@link Conversation} in which each datagram in turn is lost or duplicated. */
@Timeout(300)
class ConversationTest {

    @ParameterizedTest
    @CsvSource({
        "SHARED_MEMORY, CLIENT, drop",
        "SHARED_MEMORY, SERVER, drop",
        "SHARED_MEMORY, CLIENT, duplicate",
        "SHARED_MEMORY, SERVER, duplicate",
        "UDP, CLIENT, drop",
        "UDP, SERVER, drop",
        "UDP, CLIENT, duplicate",
        "UDP, SERVER, duplicate"
    })
    @DisplayName("LO-05 LO-06 LO-07 LO-10 each datagram of a conversation in turn is lost or duplicated")
    void whenADatagramIsLostOrDuplicatedThenEachCallRunsOnce(SoftLink link, Conversation.Side side, String action)
            throws Exception {
        long number = 1;
        try (Conversation conversation = new Conversation()) {
            while (conversation.hold(link, side, action + " " + number + " UD") >= number) {
                number++;
            }
        }
        assertThat(number).as("datagrams with a fault").isGreaterThan(20);
    }
}
