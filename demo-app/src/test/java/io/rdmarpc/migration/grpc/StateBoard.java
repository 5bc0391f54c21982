package io.rdmarpc.migration.grpc;

import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.RdmaStatusException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

@Component
class StateBoard implements ServiceState {

    private final Map<String, State> states = new ConcurrentHashMap<>();

    void set(String service, State state) {
        states.put(service, state);
    }

    @Override
    public State check(String service) {
        State state = states.get(service);
        if (state == null) {
            throw new RdmaStatusException(RpcStatus.NOT_FOUND, "unknown service " + service);
        }
        return state;
    }

    @Override
    public Stream<State> watch(String service) {
        return Stream.of(check(service), State.NOT_SERVING);
    }
}
