package io.rdmarpc.service.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.rdmarpc.rpc.error.RdmaOverloadedException;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.time.Duration;
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
