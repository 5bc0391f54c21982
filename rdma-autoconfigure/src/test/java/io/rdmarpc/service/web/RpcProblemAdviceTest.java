package io.rdmarpc.service.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaOverloadedException;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

class RpcProblemAdviceTest {

    private static final String SECRET = "call of shop.Orders.find at warehouse-7.internal:7471: NullPointerException";

    private static final Map<RpcStatus, Integer> EXPECTED = Map.ofEntries(
            Map.entry(RpcStatus.HANDLER_FAILED, 500),
            Map.entry(RpcStatus.INTERNAL, 500),
            Map.entry(RpcStatus.UNKNOWN_METHOD, 502),
            Map.entry(RpcStatus.CONTRACT_MISMATCH, 502),
            Map.entry(RpcStatus.INVALID_REQUEST, 502),
            Map.entry(RpcStatus.MESSAGE_TOO_LARGE, 502),
            Map.entry(RpcStatus.UNAVAILABLE, 503),
            Map.entry(RpcStatus.BACKPRESSURE, 503),
            Map.entry(RpcStatus.OVERLOADED, 503),
            Map.entry(RpcStatus.CANCELLED, 503),
            Map.entry(RpcStatus.DEADLINE_EXCEEDED, 504),
            Map.entry(RpcStatus.INVALID_ARGUMENT, 400),
            Map.entry(RpcStatus.UNAUTHENTICATED, 401),
            Map.entry(RpcStatus.PERMISSION_DENIED, 403),
            Map.entry(RpcStatus.NOT_FOUND, 404),
            Map.entry(RpcStatus.CONFLICT, 409));

    @RestController
    static class Edge {

        @GetMapping("/{status}")
        String find(@PathVariable RpcStatus status) {
            throw new RdmaRemoteException(status, "java.lang.NullPointerException", SECRET);
        }

        @GetMapping("/busy")
        String busy() throws RdmaRpcException {
            throw new RdmaOverloadedException(SECRET, Duration.ofMillis(1200), null);
        }
    }

    private static final RdmaErrorDetails DETAILS = RdmaErrorDetails.builder()
            .retryDelay(Duration.ofSeconds(4))
            .fieldViolation("count", "must be positive", "Positive")
            .reason("BAD_COUNT", "shop")
            .debug("at shop.Orders")
            .build();

    @RestController
    static class Detailed {

        @GetMapping("/detailed")
        String find() {
            throw new RdmaRemoteException(RpcStatus.INVALID_ARGUMENT, "", SECRET, DETAILS);
        }

        @GetMapping("/declared")
        String declared() throws Exception {
            throw new Exception("declared", new RdmaRemoteException(RpcStatus.INVALID_ARGUMENT, "", SECRET, DETAILS));
        }
    }

    private static String body(RpcProblemAdvice advice, String path) throws Exception {
        return MockMvcBuilders.standaloneSetup(new Detailed())
                .setControllerAdvice(advice)
                .build()
                .perform(get(path))
                .andReturn()
                .getResponse()
                .getContentAsString();
    }

    @Test
    void whenTheFailureHasDetailsThenTheResponseHasThemWithoutTheDebugText() throws Exception {
        for (String path : List.of("/detailed", "/declared")) {
            assertThat(body(new RpcProblemAdvice(), path))
                    .contains(
                            "\"errors\":[{\"field\":\"count\",\"detail\":\"must be positive\",\"code\":\"Positive\"}]")
                    .contains("\"reason\":\"BAD_COUNT\"", "\"domain\":\"shop\"")
                    .doesNotContain("metadata", "resource", "debug", "warehouse");
        }
    }

    @Test
    void whenDetailsAreNotIncludedThenTheResponseHasNone() throws Exception {
        assertThat(body(new RpcProblemAdvice(false, false), "/detailed"))
                .contains("INVALID_ARGUMENT")
                .doesNotContain("errors", "BAD_COUNT", "debug");
    }

    @Test
    void whenTheDebugTextIsIncludedThenTheResponseHasIt() throws Exception {
        assertThat(body(new RpcProblemAdvice(true, true), "/detailed")).contains("\"debug\":\"at shop.Orders\"");
    }

    private final MockMvc mvc = MockMvcBuilders.standaloneSetup(new Edge())
            .setControllerAdvice(new RpcProblemAdvice())
            .build();

    private MockHttpServletResponse response(String path) throws Exception {
        return mvc.perform(get(path)).andReturn().getResponse();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OK")
    void shouldRespondToEachStatusWithoutInternalDetails(RpcStatus status) throws Exception {
        MockHttpServletResponse response = response("/" + status);

        assertThat(response.getStatus()).isEqualTo(EXPECTED.get(status));
        assertThat(response.getContentType()).isEqualTo("application/problem+json");
        assertThat(response.getContentAsString())
                .contains("\"rpcStatus\":\"" + status + "\"")
                .doesNotContain("warehouse", "shop", "NullPointer");
        assertThat(response.getHeader("Retry-After")).isNull();
    }

    @Test
    void whenTheServerSentAHintThenRetryAfterHasWholeSeconds() throws Exception {
        MockHttpServletResponse response = response("/busy");

        assertThat(response.getStatus()).isEqualTo(503);
        assertThat(response.getHeader("Retry-After")).isEqualTo("2");
    }
}
