package io.rdmarpc.docs.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Each check is also made on the page with one fault, which it has to report. */
@DisplayName("The walk of a call in ARCHITECTURE.md")
class CallWalkTest {

    private static final String PAGE = MarkdownPage.of("ARCHITECTURE.md").text();

    /** A link of step 6. */
    private static final String LINK =
            "[`PacketDispatcher`](rdma-transport/src/main/java/io/rdmarpc/rpc/engine/PacketDispatcher.java)";

    private static final String OTHER_FILE = "rdma-transport/src/main/java/io/rdmarpc/rpc/engine/EventLoop.java";

    private static List<String> problemsOf(String page) {
        return CallWalk.of(page).problems();
    }

    /** The page with a change in its sixth step. */
    private static String withSixthStep(String before, String after) {
        int start = PAGE.indexOf("\n### 6. ");
        int end = PAGE.indexOf("\n### 7. ");
        String step = PAGE.substring(start, end);
        assertThat(step).as("step 6 can be changed").contains(before);
        return PAGE.substring(0, start) + step.replace(before, after) + PAGE.substring(end);
    }

    @Test
    void shouldHaveTenStepsWhoseClassesAreInTheFilesThatTheyLink() {
        assertThat(problemsOf(PAGE)).isEmpty();
    }

    @Test
    void whenThereIsNoWalkThenItIsReported() {
        assertThat(problemsOf(PAGE.replace("## One call in ten steps", "## Calls")))
                .containsExactly("the steps of the call are []");
    }

    @Test
    void whenAStepIsMissingThenItIsReported() {
        String shorter = PAGE.substring(0, PAGE.indexOf("\n### 6. ")) + PAGE.substring(PAGE.indexOf("\n### 7. "));

        assertThat(problemsOf(shorter)).containsExactly("the steps of the call are [1, 2, 3, 4, 5, 7, 8, 9, 10]");
    }

    @Test
    void whenThereIsAnotherStepThenItIsReported() {
        String longer =
                PAGE.replace("\n## Large messages and shared memory\n", "\n### 11. The end\n\nNothing.\n\n## Large");

        assertThat(problemsOf(longer))
                .containsExactly(
                        "the steps of the call are [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]",
                        "step 11 does not have the line \"- Thread:\"",
                        "step 11 does not have the line \"- Memory:\"",
                        "step 11 links to no Java file");
    }

    @Test
    void whenAStepLinksNoJavaFileOfTheTreeThenItIsReported() {
        assertThat(problemsOf(withSixthStep(".java)", "Gone.java)"))).contains("step 6 links to no Java file");
    }

    @Test
    void whenALinkLeadsToAnotherClassThenItIsReported() {
        assertThat(problemsOf(withSixthStep(LINK, "[`PacketDispatcher`](" + OTHER_FILE + ")")))
                .containsExactly(
                        "step 6 links PacketDispatcher to " + OTHER_FILE,
                        "step 6 names PacketDispatcher, and links no file that declares it");
    }

    @Test
    void whenAStepNamesAClassOfNoFileThatItLinksThenItIsReported() {
        assertThat(problemsOf(withSixthStep(LINK, LINK + " and `EventLoop`")))
                .containsExactly("step 6 names EventLoop, and links no file that declares it");
    }

    @Test
    void whenAClassBeginsWithTheNameThenItIsNotTheClass() {
        assertThat(problemsOf(withSixthStep(LINK, LINK + " and `Packet`")))
                .containsExactly("step 6 names Packet, and links no file that declares it");
    }

    @Test
    void whenAStepSaysNothingAboutItsThreadThenItIsReported() {
        assertThat(problemsOf(withSixthStep("\n- Thread: ", "\n- ")))
                .containsExactly("step 6 does not have the line \"- Thread:\"");
    }
}
