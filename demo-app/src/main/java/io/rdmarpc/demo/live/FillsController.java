package io.rdmarpc.demo.live;

import io.rdmarpc.demo.Fill;
import io.rdmarpc.demo.OrderService;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Iterator;
import java.util.stream.Stream;
import org.springframework.context.annotation.Profile;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import tools.jackson.databind.json.JsonMapper;

/** Streams fills over HTTP, because Spring's HTTP interfaces do not support streams. */
@RestController
@Profile("http")
class FillsController {

    private final OrderService orders;
    private final JsonMapper json;

    FillsController(OrderService orders, JsonMapper json) {
        this.orders = orders;
        this.json = json;
    }

    /** Writes one line for each part as soon as the part is available. */
    @GetMapping("/orders/{orderId}/fills")
    ResponseEntity<StreamingResponseBody> fills(@PathVariable String orderId, @RequestParam int parts) {
        return ResponseEntity.ok().contentType(MediaType.APPLICATION_NDJSON).body(body -> {
            try (Stream<Fill> fills = orders.fills(orderId, parts)) {
                write(fills.iterator(), body);
            }
        });
    }

    private void write(Iterator<Fill> fills, OutputStream body) throws IOException {
        while (fills.hasNext()) {
            body.write(json.writeValueAsBytes(fills.next()));
            body.write('\n');
            body.flush();
        }
    }
}
