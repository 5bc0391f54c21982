package io.rdmarpc.docs.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallMetadata;
import io.rdmarpc.service.CallOptions;
import io.rdmarpc.service.RdmaStatusException;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The examples of error details work")
class TicketsTest {

    private final Tickets tickets = mock(Tickets.class);
    private final TicketCounter counter = new TicketCounter(tickets);

    @Test
    void whenFieldsAreInvalidThenTheCounterNamesThem() {
        RdmaErrorDetails details = RdmaErrorDetails.builder()
                .fieldViolation("seats", "must be positive", "Positive")
                .build();
        given(tickets.sell("Hamlet", 0))
                .willThrow(new RdmaRemoteException(RpcStatus.INVALID_ARGUMENT, "", "invalid", details));

        assertThat(counter.sell("Hamlet", 0)).isEqualTo("seats must be positive");
    }

    @Test
    void whenThereIsNoSeatThenTheCounterReadsTheDetailsOfTheAdvice() {
        RdmaStatusException mapped = new TicketAdvice().noSeat(new NoSeatException("sold out", "Hamlet", 2));
        given(tickets.sell("Hamlet", 3))
                .willThrow(new RdmaRemoteException(
                        mapped.status(), "", String.valueOf(mapped.getMessage()), mapped.errorDetails()));

        assertThat(counter.sell("Hamlet", 3)).isEqualTo("only 2 left");
        assertThat(mapped.retryAfter()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void shouldRequestTheDebugText() {
        given(tickets.sell("Hamlet", 1)).willAnswer(_ -> {
            CallOptions options = CallOptions.current();
            assertThat(options).isNotNull();
            assertThat(options.metadata()).containsKey(CallMetadata.DEBUG_DETAILS);
            RdmaErrorDetails details = RdmaErrorDetails.NONE.withDebug("at Hall.plan");
            throw new RdmaRemoteException(RpcStatus.INTERNAL, "", "failed", details);
        });

        assertThat(counter.diagnose("Hamlet")).isEqualTo("at Hall.plan");
    }
}
