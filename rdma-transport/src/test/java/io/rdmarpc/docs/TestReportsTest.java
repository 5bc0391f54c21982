package io.rdmarpc.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The results of the page, from reports as Surefire writes them. */
@DisplayName("The column of results in the conformance page")
class TestReportsTest {

    private static final String RUNTIME = "io.rdmarpc.rpc.runtime.";
    private static final String PASSED = "/>";
    private static final String SKIPPED = "><skipped message=\"no device\"/></testcase>";
    private static final String FAILED = "><failure type=\"x\">words</failure></testcase>";

    @TempDir
    private Path root;

    @BeforeEach
    void aCaseForEveryNetworkAndTheDevice() throws IOException {
        source("EngineCases", """
                abstract class EngineCases {
                    @Test
                    @Named("SM-01 one call")
                    void shouldCall() {}
                }
                """);
        source("SoftEngineTest", """
                class SoftEngineTest extends EngineCases {
                    enum Network {
                        SHARED_MEMORY(256),
                        UDP(256, "a=b"),
                        FAULTY_UDP(
                                128,
                                "a=b"),
                        FAULTY_SHARED_MEMORY(128);
                    }
                }
                """);
        source("EngineDeviceTest", "class EngineDeviceTest extends EngineCases {}");
    }

    private void source(String name, String text) throws IOException {
        // Not as it will be: the page of this repository is made of this file, too.
        String source = text.replace("@Named", "@DisplayName");
        write("module/src/test/java/io/rdmarpc/rpc/runtime/" + name + ".java", source);
    }

    private void report(String directory, String className, String cases) throws IOException {
        write("module/target/" + directory + "/TEST-" + className + ".xml", "<testsuite>" + cases + "</testsuite>");
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private static String testCase(String className, String name, String how) {
        return "<testcase name=\"" + name + "\" classname=\"" + className + "\" time=\"0.1\"" + how;
    }

    private void onSoft(String... outcomes) throws IOException {
        StringBuilder cases = new StringBuilder();
        for (int i = 0; i < outcomes.length; i++) {
            cases.append(testCase(RUNTIME + "SoftEngineTest", "shouldCall()[" + (i + 1) + "]", outcomes[i]));
        }
        report("surefire-reports", RUNTIME + "SoftEngineTest", cases.toString());
    }

    private void onDevice(String directory, String name, String outcome) throws IOException {
        String className = RUNTIME + "EngineDeviceTest";
        report(directory, className, testCase(className, name, outcome));
    }

    private String resultOf(String words) throws IOException {
        String row = ConformancePage.of(root)
                .lines()
                .filter(line -> line.contains(words))
                .findFirst()
                .orElseThrow();
        String[] columns = row.split("\\|", -1);
        return columns[columns.length - 2].strip();
    }

    @Test
    void whenACaseHasPassedEverywhereThenTheResultIsOneWord() throws IOException {
        onSoft(PASSED, PASSED, PASSED, PASSED);
        onDevice("rxe-reports", "shouldCall", PASSED);

        assertThat(resultOf("one call")).isEqualTo("passed");
    }

    @Test
    void whenACaseHasFailedOnOneNetworkThenTheResultNamesIt() throws IOException {
        onSoft(PASSED, PASSED, PASSED, FAILED);
        onDevice("rxe-reports", "shouldCall", PASSED);

        assertThat(resultOf("one call"))
                .isEqualTo("passed: soft/shm, soft/UDP, soft/UDP with faults, rxe; failed: soft/shm with faults");
    }

    @Test
    void whenNoVmHasRunThenACaseIsNotCalledPassedOnTheDevice() throws IOException {
        onSoft(PASSED, PASSED, PASSED, PASSED);
        onDevice("surefire-reports", "shouldCall", SKIPPED);

        assertThat(resultOf("one call"))
                .isEqualTo("passed: soft/shm, soft/UDP, soft/shm with faults, soft/UDP with faults; skipped: rxe");
    }

    @Test
    void whenAClassWasSkippedAsAWholeThenItsCasesWere() throws IOException {
        onSoft(PASSED, PASSED, PASSED, PASSED);
        onDevice("surefire-reports", "", SKIPPED);

        assertThat(resultOf("one call")).endsWith("; skipped: rxe");
    }

    @Test
    void whenTheVmHasReportsThenTheyCountBeforeTheHosts() throws IOException {
        onSoft(PASSED, PASSED, PASSED, PASSED);
        onDevice("surefire-reports", "shouldCall", SKIPPED);
        onDevice("rxe-reports", "shouldCall", FAILED);

        assertThat(resultOf("one call")).endsWith("; failed: rxe");
    }

    @Test
    void whenNothingHasRunThenThereIsNoReport() throws IOException {
        assertThat(resultOf("one call")).isEqualTo("no report");
    }

    @Test
    void whenAClassCarriesTheIdThenAllItsTestsCount() throws IOException {
        source("WatchTest", """
                @Named("FL-17: the watch")
                class WatchTest {
                    @BeforeEach
                    void open() {}
                    @Test
                    void shouldAsk() {}
                    @Test
                    void shouldTell() {}
                }
                """);
        String className = RUNTIME + "WatchTest";
        report(
                "surefire-reports",
                className,
                testCase(className, "shouldAsk", PASSED) + testCase(className, "shouldTell", FAILED));

        assertThat(resultOf("the watch")).isEqualTo("failed");
    }

    @Test
    void whenANestedClassCarriesTheIdThenItsTestsCountAlone() throws IOException {
        source("LinkTest", """
                class LinkTest {
                    @Nested
                    @Named("FL-13 a wake-up")
                    class WakeUp {
                        @Test
                        void shouldWake() {}
                    }
                }
                """);
        String className = RUNTIME + "LinkTest";
        report(
                "surefire-reports",
                className,
                testCase(className + "$WakeUp", "shouldWake", PASSED) + testCase(className, "shouldLink", FAILED));

        assertThat(resultOf("a wake-up")).isEqualTo("passed");
    }
}
