package io.rdmarpc.docs.spring;

import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.RdmaAdvice;
import io.rdmarpc.service.RdmaExceptionHandler;
import io.rdmarpc.service.RdmaStatusException;
import io.rdmarpc.service.ServerCallContext;
import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.concurrent.RejectedExecutionException;

@RdmaAdvice
class WarehouseAdvice {

    @RdmaExceptionHandler
    RpcStatus missing(NoSuchElementException e) {
        return RpcStatus.NOT_FOUND;
    }

    @RdmaExceptionHandler
    RdmaStatusException busy(RejectedExecutionException e, ServerCallContext call) {
        return new RdmaStatusException(
                RpcStatus.OVERLOADED, call.method() + " has too much to do", Duration.ofMillis(50));
    }
}
