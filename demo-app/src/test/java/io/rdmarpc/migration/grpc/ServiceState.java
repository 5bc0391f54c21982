package io.rdmarpc.migration.grpc;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import java.util.stream.Stream;

@RdmaService
public interface ServiceState {

    @RdmaMethod(idempotent = true)
    State check(String service);

    @RdmaMethod(timeout = "10m")
    Stream<State> watch(String service);

    enum State {
        SERVING,
        NOT_SERVING
    }
}
