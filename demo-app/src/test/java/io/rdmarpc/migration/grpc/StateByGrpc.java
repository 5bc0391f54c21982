package io.rdmarpc.migration.grpc;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc.HealthBlockingStub;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.RdmaStatusException;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The interface implemented by the gRPC stub: callers change to the interface first and to RDMA later. */
final class StateByGrpc implements ServiceState {

    private final HealthBlockingStub stub;

    StateByGrpc(HealthBlockingStub stub) {
        this.stub = stub;
    }

    @Override
    public State check(String service) {
        try {
            return state(stub.check(request(service)));
        } catch (StatusRuntimeException e) {
            throw failure(e);
        }
    }

    @Override
    public Stream<State> watch(String service) {
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(stub.watch(request(service)), 0), false)
                .map(StateByGrpc::state);
    }

    private static HealthCheckRequest request(String service) {
        return HealthCheckRequest.newBuilder().setService(service).build();
    }

    private static State state(HealthCheckResponse response) {
        return State.valueOf(response.getStatus().name());
    }

    private static RdmaStatusException failure(StatusRuntimeException e) {
        Status status = e.getStatus();
        RpcStatus same = switch (status.getCode()) {
            case NOT_FOUND -> RpcStatus.NOT_FOUND;
            case INVALID_ARGUMENT, OUT_OF_RANGE -> RpcStatus.INVALID_ARGUMENT;
            case PERMISSION_DENIED -> RpcStatus.PERMISSION_DENIED;
            case UNAUTHENTICATED -> RpcStatus.UNAUTHENTICATED;
            case FAILED_PRECONDITION, ALREADY_EXISTS, ABORTED -> RpcStatus.CONFLICT;
            case RESOURCE_EXHAUSTED -> RpcStatus.OVERLOADED;
            case DEADLINE_EXCEEDED -> RpcStatus.DEADLINE_EXCEEDED;
            case UNAVAILABLE -> RpcStatus.UNAVAILABLE;
            case CANCELLED -> RpcStatus.CANCELLED;
            default -> RpcStatus.INTERNAL;
        };
        return new RdmaStatusException(same, String.valueOf(status.getDescription()));
    }
}
