package io.rdmarpc.demo.live.side;

import io.rdmarpc.demo.StageTimes;
import java.util.Optional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PutExchange;

/** What the page wants to know of the server's process. Over HTTP, so that it is known when RDMA is in trouble. */
@HttpExchange("/monitor")
public interface HttpMonitor {

    /** How the process is. */
    @GetExchange
    ServerStatus status();

    /** Follows the next call about an order. */
    @PutExchange("/watch/{orderId}")
    void watch(@PathVariable("orderId") String orderId);

    /** The stages of the call that was followed, when it has ended. */
    @GetExchange("/watch/{orderId}")
    Optional<StageTimes> stages(@PathVariable("orderId") String orderId);
}
