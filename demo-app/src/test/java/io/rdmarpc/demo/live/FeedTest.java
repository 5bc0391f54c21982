package io.rdmarpc.demo.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.demo.live.Snapshot.Phase;
import io.rdmarpc.demo.live.load.LoadSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.json.JsonMapper;

@Timeout(30)
class FeedTest {

    private final Feed feed = new Feed(JsonMapper.builder().build());

    private void publish(long at, Phase phase) {
        feed.publish(new Snapshot(
                at,
                phase,
                null,
                "",
                List.of(),
                null,
                LoadSettings.FIRST,
                List.of(),
                null,
                0,
                0,
                0,
                null,
                List.of(),
                2));
    }

    private static List<String> take(Feed.Reader reader, int count) throws InterruptedException {
        List<String> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(reader.next());
        }
        return events;
    }

    @Test
    void whenAPageOpensThenItReceivesTheHistoryAndTheLastSnapshot() throws InterruptedException {
        publish(1, Phase.RUNNING);
        publish(2, Phase.RUNNING);

        List<String> events = take(feed.open(), 2);

        assertThat(events.getFirst()).startsWith("event: history\n").contains("\"at\":1", "\"at\":2");
        assertThat(events.getLast())
                .startsWith("event: snapshot\n")
                .contains("\"at\":2")
                .endsWith("\n\n");
    }

    @Test
    void whenTheLoadWarmsUpThenTheHistoryMarksThePoint() throws InterruptedException {
        publish(1, Phase.WARMING_UP);
        publish(2, Phase.RUNNING);

        assertThat(feed.open().next()).contains("\"at\":1,\"warm\":false", "\"at\":2,\"warm\":true");
    }

    @Test
    void whenTheLoadIsStoppedThenTheHistoryDoesNotChange() throws InterruptedException {
        publish(1, Phase.STOPPED);

        assertThat(feed.open().next()).isEqualTo("event: history\ndata: []\n\n");
    }

    @Test
    void whenTheHistoryIsFullThenTheOldestPointIsRemoved() throws InterruptedException {
        for (int at = 1; at <= Feed.HISTORY + 1; at++) {
            publish(at, Phase.RUNNING);
        }

        assertThat(feed.open().next()).doesNotContain("\"at\":1,").contains("\"at\":2,");
    }

    @Test
    void whenAPageReadsSlowlyThenItMissesOnlyOldSnapshots() throws InterruptedException {
        Feed.Reader reader = feed.open();
        for (int at = 1; at <= 100; at++) {
            publish(at, Phase.RUNNING);
        }

        assertThat(take(reader, 4)).last().asString().contains("\"at\":100,");
    }

    @Test
    void whenTheFeedEndsThenOpenPagesEndAndNoneOpens() throws InterruptedException {
        Feed.Reader reader = feed.open();
        reader.next();
        feed.end();

        assertThat(reader.next()).isNull();
        assertThat(feed.open()).isNull();
    }
}
