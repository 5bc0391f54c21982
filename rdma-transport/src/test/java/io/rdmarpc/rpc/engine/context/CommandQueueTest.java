package io.rdmarpc.rpc.engine.context;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Commands of an engine")
class CommandQueueTest {

    private final CommandQueue queue = new CommandQueue(new LoopFailures(new EngineCounters()));
    private final List<String> ran = new ArrayList<>();

    private EngineCommand command(String name) {
        return command(name, () -> {});
    }

    private EngineCommand command(String name, Runnable then) {
        return new EngineCommand() {
            @Override
            public void execute(long nowNanos) {
                ran.add(name);
                then.run();
            }
        };
    }

    @Test
    @DisplayName("of its own thread run before those that are added to the inbox after them")
    void shouldRunOwnCommandsBeforeLaterOnes() {
        queue.offerOwn(command("own"));
        queue.offer(command("other"));

        assertThat(queue.run(0)).isEqualTo(2);
        assertThat(ran).containsExactly("own", "other");
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    @DisplayName("of its own thread run after those that already wait in the inbox")
    void shouldRunOwnCommandsAfterEarlierOnes() {
        queue.offer(command("other"));
        queue.offerOwn(command("own"));

        assertThat(queue.runOwn(0)).isZero();
        assertThat(queue.run(0)).isEqualTo(2);
        assertThat(ran).containsExactly("other", "own");
    }

    @Test
    @DisplayName("that the last one of the inbox adds run before those that are added to the inbox meanwhile")
    void whenACommandAddsAnotherThenThatRunsBeforeLaterOnes() {
        queue.offer(command("first", () -> {
            queue.offerOwn(command("own"));
            queue.offer(command("consequence"));
        }));

        queue.run(0);
        assertThat(ran).containsExactly("first", "own", "consequence");
    }

    @Test
    @DisplayName("that are queued again run in the next cycle")
    void whenACommandIsQueuedAgainThenItRunsInTheNextCycle() {
        EngineCommand[] again = new EngineCommand[1];
        again[0] = command("again", () -> queue.offerOwn(again[0]));
        queue.offerOwn(again[0]);

        assertThat(queue.run(0)).isEqualTo(1);
        assertThat(queue.isEmpty()).isFalse();
        assertThat(queue.run(0)).isEqualTo(1);
        assertThat(ran).hasSize(2);
    }

    @Test
    @DisplayName("that fail are counted, and the others run")
    void whenOneThrowsThenTheOthersRun() {
        queue.offerOwn(command("bad", () -> {
            throw new IllegalStateException("on purpose");
        }));
        queue.offerOwn(command("good"));

        queue.run(0);
        assertThat(ran).containsExactly("bad", "good");
    }
}
