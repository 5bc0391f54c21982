package io.rdmarpc.demo.live.side;

import io.rdmarpc.demo.StageTimes;
import java.util.Optional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PutExchange;

/** The state of the server's process, for the page. It uses HTTP, so that it works while RDMA does not. */
@HttpExchange("/monitor")
public interface HttpMonitor {

    /** Returns the state of the server's process. */
    @GetExchange
    ServerStatus status();

    /** Records the stages of the next call about an order. */
    @PutExchange("/watch/{orderId}")
    void watch(@PathVariable("orderId") String orderId);

    /** Returns the stages of the recorded call, or empty if the call has not ended. */
    @GetExchange("/watch/{orderId}")
    Optional<StageTimes> stages(@PathVariable("orderId") String orderId);
}
