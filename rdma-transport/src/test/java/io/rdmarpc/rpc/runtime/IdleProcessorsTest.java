package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The measure of idle processors")
class IdleProcessorsTest {

    @TempDir
    Path folder;

    private Path stat(long idleTicks) throws IOException {
        return Files.writeString(
                folder.resolve("stat"),
                "cpu  10 20 30 " + idleTicks + " 50 60 70 80 90 100\ncpu0 1 2 3 4 5 6 7 8 9 10\n");
    }

    @Test
    @DisplayName("is at most the number of processors of this process")
    void whenTheHostHasMoreProcessorsThenItIsThoseOfTheProcess() throws Exception {
        IdleProcessors processors = new IdleProcessors(stat(0));
        double _ = processors.sinceLastCall();
        Thread.sleep(20);
        stat(1_000_000);

        assertThat(processors.sinceLastCall())
                .isPositive()
                .isLessThanOrEqualTo(Runtime.getRuntime().availableProcessors());
    }

    @Test
    @DisplayName("is 0 if no processor of the host was idle")
    void whenTheHostIsBusyThenItIsZero() throws Exception {
        IdleProcessors processors = new IdleProcessors(stat(500));
        double _ = processors.sinceLastCall();
        Thread.sleep(20);

        assertThat(processors.sinceLastCall()).isZero();
    }

    @Test
    @DisplayName("is 0 for the first sample, which has nothing to compare with")
    void whenItIsTheFirstThenItIsZero() throws Exception {
        assertThat(new IdleProcessors(stat(500)).sinceLastCall()).isZero();
    }

    @Test
    @DisplayName("is 0 on a host that does not report it")
    void whenTheFileCannotBeReadThenItIsZero() throws Exception {
        IdleProcessors missing = new IdleProcessors(folder.resolve("missing"));
        IdleProcessors empty = new IdleProcessors(Files.writeString(folder.resolve("empty"), "cpu 1 2"));
        for (IdleProcessors each : new IdleProcessors[] {missing, empty}) {
            double _ = each.sinceLastCall();
            assertThat(each.sinceLastCall()).isZero();
        }
    }

    @Test
    @DisplayName("is measured on this host")
    void shouldReadTheFileOfTheKernel() throws Exception {
        IdleProcessors processors = new IdleProcessors(Path.of("/proc/stat"));
        double _ = processors.sinceLastCall();
        Thread.sleep(50);

        assertThat(processors.sinceLastCall())
                .isBetween(0.0, (double) Runtime.getRuntime().availableProcessors());
    }
}
