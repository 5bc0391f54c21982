package io.rdmarpc.benchmarks.micro;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

@DisplayName("The micro-benchmarks")
@Timeout(120)
class MicroTest {

    private static final int BENCHMARKS = 15;

    /** In this JVM, and too short to mean anything. */
    @Test
    void run() throws RunnerException {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .include("\\.micro\\.")
                        .forks(0)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(20))
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run();

        assertThat(results)
                .hasSize(BENCHMARKS)
                .allMatch(result -> result.getPrimaryResult().getScore() > 0);
    }
}
