package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.AsyncEvent;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.VerbsProviders;
import java.io.IOException;
import java.util.Map;

/** Prints the events of the port of a software RNIC with one address, until its input ends. */
public final class PortEventsProcess {

    private PortEventsProcess() {}

    /**
     * Runs the process.
     *
     * @param args the address
     */
    public static void main(String[] args) throws IOException {
        Map<String, String> options = Map.of("soft.addresses", args[0], "soft.port", "0");
        try (RdmaContext context =
                VerbsProviders.open("soft", "soft0", 1, options).context()) {
            context.onAsyncEvent(PortEventsProcess::print);
            System.out.println("LISTENING");
            System.in.transferTo(System.err);
        }
    }

    private static void print(AsyncEvent event) {
        System.out.println(event.type() + " of port " + event.portNumber());
    }
}
