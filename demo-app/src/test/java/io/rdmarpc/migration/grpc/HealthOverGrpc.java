package io.rdmarpc.migration.grpc;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.StreamObserver;
import io.rdmarpc.migration.grpc.ServiceState.State;
import io.rdmarpc.rpc.error.RdmaRpcException;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The gRPC service that existing clients call. It delegates to the bean, which now has the implementation. */
final class HealthOverGrpc extends HealthGrpc.HealthImplBase {

    private final ServiceState states;

    HealthOverGrpc(ServiceState states) {
        this.states = states;
    }

    @Override
    public void check(HealthCheckRequest request, StreamObserver<HealthCheckResponse> observer) {
        respond(observer, () -> Stream.of(states.check(request.getService())));
    }

    @Override
    public void watch(HealthCheckRequest request, StreamObserver<HealthCheckResponse> observer) {
        respond(observer, () -> states.watch(request.getService()));
    }

    private static void respond(StreamObserver<HealthCheckResponse> observer, Supplier<Stream<State>> call) {
        try (Stream<State> responses = call.get()) {
            responses.forEach(state -> observer.onNext(message(state)));
            observer.onCompleted();
        } catch (RdmaRpcException e) {
            observer.onError(failure(e));
        }
    }

    private static HealthCheckResponse message(State state) {
        return HealthCheckResponse.newBuilder()
                .setStatus(ServingStatus.valueOf(state.name()))
                .build();
    }

    private static StatusRuntimeException failure(RdmaRpcException e) {
        Status status = switch (e.status()) {
            case NOT_FOUND -> Status.NOT_FOUND;
            case INVALID_ARGUMENT, INVALID_REQUEST -> Status.INVALID_ARGUMENT;
            case PERMISSION_DENIED -> Status.PERMISSION_DENIED;
            case UNAUTHENTICATED -> Status.UNAUTHENTICATED;
            case CONFLICT -> Status.FAILED_PRECONDITION;
            case OVERLOADED, BACKPRESSURE -> Status.RESOURCE_EXHAUSTED;
            case DEADLINE_EXCEEDED -> Status.DEADLINE_EXCEEDED;
            case UNAVAILABLE -> Status.UNAVAILABLE;
            case CANCELLED -> Status.CANCELLED;
            default -> Status.INTERNAL;
        };
        return status.withDescription(e.getMessage()).asRuntimeException();
    }
}
