package io.rdmarpc.docs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.error.SessionRejectReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The page of statuses lists each value with a gRPC code")
class StatusDocsTest {

    private static final Pattern ROW =
            Pattern.compile("^\\| `([A-Z_]+)` \\|(?: [^|]+ \\|)+ `([A-Z_]+)` \\|$", Pattern.MULTILINE);
    private static final Set<String> GRPC_CODES = Set.of(
            "OK",
            "CANCELLED",
            "UNKNOWN",
            "INVALID_ARGUMENT",
            "DEADLINE_EXCEEDED",
            "NOT_FOUND",
            "ALREADY_EXISTS",
            "PERMISSION_DENIED",
            "RESOURCE_EXHAUSTED",
            "FAILED_PRECONDITION",
            "ABORTED",
            "OUT_OF_RANGE",
            "UNIMPLEMENTED",
            "INTERNAL",
            "UNAVAILABLE",
            "DATA_LOSS",
            "UNAUTHENTICATED");

    /** Returns the rows between two headings. */
    private static List<MatchResult> rows(String heading, String next) throws IOException {
        String page = Files.readString(Path.of("../docs/reference/statuses.md"));
        String part = page.substring(page.indexOf("## " + heading), page.indexOf("## " + next));
        return ROW.matcher(part).results().toList();
    }

    @Test
    void shouldListEachStatusOnce() throws IOException {
        assertThat(rows("Status codes", "Why a server rejects a session"))
                .extracting(row -> row.group(1))
                .containsExactlyElementsOf(
                        Arrays.stream(RpcStatus.values()).map(Enum::name).toList());
    }

    @Test
    void shouldListEachReasonOfARejectionOnce() throws IOException {
        assertThat(rows("Why a server rejects a session", "HTTP statuses"))
                .extracting(row -> row.group(1))
                .containsExactlyElementsOf(Arrays.stream(SessionRejectReason.values())
                        .map(Enum::name)
                        .toList());
    }

    @Test
    void shouldNameCodesOfGrpc() throws IOException {
        assertThat(rows("Status codes", "HTTP statuses"))
                .isNotEmpty()
                .allSatisfy(row -> assertThat(GRPC_CODES).contains(row.group(2)));
    }
}
