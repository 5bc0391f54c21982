package io.rdmarpc.docs.samples;

import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.service.CallOptions;

record TicketCounter(Tickets tickets) {

    String sell(String show, int seats) {
        try {
            return "sold " + tickets.sell(show, seats);
        } catch (RdmaRpcException e) {
            RdmaErrorDetails details = e.errorDetails();
            if (details.reason().equals("NO_SEAT")) {
                return "only " + details.metadata().get("left") + " left";
            }
            return details.fieldViolations().stream()
                    .map(violation -> violation.field() + " " + violation.description())
                    .findFirst()
                    .orElse("failed");
        }
    }

    String diagnose(String show) {
        try {
            return "sold " + CallOptions.debugDetails().call(() -> tickets.sell(show, 1));
        } catch (RdmaRpcException e) {
            return e.errorDetails().debug();
        }
    }
}
