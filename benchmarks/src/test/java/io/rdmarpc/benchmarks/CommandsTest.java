package io.rdmarpc.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@DisplayName("A command line")
class CommandsTest {

    @Command(name = "count")
    private static final class Count implements Callable<Integer> {

        @Option(names = "--times")
        private int times;

        @Override
        public Integer call() {
            return times;
        }
    }

    @Test
    void whenAnOptionIsGivenTwiceThenTheLastValueCounts() {
        assertThat(Commands.run(new Count(), "--times", "3", "--times", "5")).isEqualTo(5);
    }
}
