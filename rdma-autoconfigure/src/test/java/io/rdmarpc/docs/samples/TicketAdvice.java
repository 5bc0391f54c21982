package io.rdmarpc.docs.samples;

import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.RdmaAdvice;
import io.rdmarpc.service.RdmaExceptionHandler;
import io.rdmarpc.service.RdmaStatusException;
import java.time.Duration;

@RdmaAdvice
class TicketAdvice {

    @RdmaExceptionHandler
    RdmaStatusException noSeat(NoSeatException e) {
        RdmaErrorDetails details = RdmaErrorDetails.builder()
                .reason("NO_SEAT", "tickets")
                .resource("show", e.show())
                .metadata("left", String.valueOf(e.left()))
                .retryDelay(Duration.ofMinutes(1))
                .build();
        return new RdmaStatusException(RpcStatus.CONFLICT, e.getMessage(), details);
    }
}
