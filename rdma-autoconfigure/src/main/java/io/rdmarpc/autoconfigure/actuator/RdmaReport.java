package io.rdmarpc.autoconfigure.actuator;

import io.rdmarpc.autoconfigure.client.RdmaClients;
import io.rdmarpc.memory.MemoryStatistics;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.SessionInfo;
import io.rdmarpc.rpc.SessionSnapshot;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.rpc.stats.EngineSnapshot;
import io.rdmarpc.rpc.stats.RoundTripStatistics;
import io.rdmarpc.service.client.routing.BalancedChannel;
import io.rdmarpc.service.client.routing.InstanceState;
import io.rdmarpc.service.client.routing.RdmaTarget;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.verbs.PeerText;
import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.attributes.PortAttributes;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What {@code /actuator/rdma} answers.
 *
 * @param device the device in use
 * @param engines the engines, one for each polling thread
 * @param sessions sessions with peers, as client and as server
 * @param memory registered memory
 * @param services what this process offers
 * @param clients what it calls
 * @param rejections peers that were refused, by reason
 */
public record RdmaReport(
        Device device,
        List<Engine> engines,
        List<Session> sessions,
        Memory memory,
        List<Service> services,
        List<Client> clients,
        Map<String, Long> rejections)
        implements OperationResponseBody {

    private static final double NANOS_PER_MICRO = 1e3;
    private static final double P99 = 0.99;

    /**
     * A device and its port.
     *
     * @param provider the verbs provider
     * @param name the device
     * @param reason why it was chosen
     * @param problem why it opens no sessions now, null when it works
     * @param firmware version of its firmware
     * @param port number of the port
     * @param portState state of the port now
     * @param linkLayer InfiniBand or Ethernet
     * @param gid the address it uses
     * @param gidIndex its place in the port's table
     * @param pathMtuBytes payload of one packet
     * @param limits what the device allows
     * @param counters what it counts
     */
    public record Device(
            String provider,
            String name,
            String reason,
            @Nullable String problem,
            String firmware,
            int port,
            String portState,
            String linkLayer,
            String gid,
            int gidIndex,
            int pathMtuBytes,
            Limits limits,
            Map<String, Long> counters) {

        static Device of(NicContext nic, @Nullable String problem) {
            DeviceAttributes attributes = nic.context().attributes();
            PortAttributes port = nic.context().queryPort(nic.portNumber());
            return new Device(
                    nic.providerName(),
                    nic.deviceName(),
                    nic.reason(),
                    problem,
                    attributes.firmwareVersion(),
                    nic.portNumber(),
                    port.state().toString(),
                    port.linkLayer().toString(),
                    nic.gid().gid().toString(),
                    nic.gid().index(),
                    nic.pathMtu().bytes(),
                    Limits.of(attributes),
                    nic.context().counters(nic.portNumber()));
        }
    }

    /**
     * What a device allows.
     *
     * @param queuePairs queue pairs
     * @param workRequests work requests of a queue pair
     * @param completionQueueEntries entries of a completion queue
     * @param memoryRegions memory regions
     * @param memoryRegionBytes bytes of one of them
     * @param readsPerQueuePair READs that a queue pair answers at a time
     */
    public record Limits(
            int queuePairs,
            int workRequests,
            int completionQueueEntries,
            int memoryRegions,
            long memoryRegionBytes,
            int readsPerQueuePair) {

        static Limits of(DeviceAttributes device) {
            return new Limits(
                    device.maxQp(),
                    device.maxQpWr(),
                    device.maxCqe(),
                    device.maxMr(),
                    device.maxMrSizeBytes(),
                    device.maxQpRdAtom());
        }
    }

    /**
     * An engine and its thread.
     *
     * @param thread name of its polling thread
     * @param alive whether that lives
     * @param sinceLastCycleMillis time since its last turn
     * @param utilisation share of its time that it had work
     * @param udQueuePair number of its datagram queue pair
     * @param sessions sessions it carries
     * @param backlog calls that wait for a window
     * @param windowStalls calls that had to
     * @param creditStalls calls that had to wait for a receive
     * @param creditsLent receives lent to busy sessions
     * @param readsWaiting RDMA READs that wait
     * @param readsInFlight RDMA READs at the NIC
     * @param streams streams open
     */
    public record Engine(
            String thread,
            boolean alive,
            long sinceLastCycleMillis,
            double utilisation,
            int udQueuePair,
            int sessions,
            long backlog,
            long windowStalls,
            long creditStalls,
            long creditsLent,
            long readsWaiting,
            long readsInFlight,
            long streams) {

        static Engine of(EngineSnapshot engine) {
            return new Engine(
                    engine.thread(),
                    engine.threadAlive(),
                    engine.sinceLastCycle().toMillis(),
                    engine.traffic().utilisation(),
                    engine.udQueuePair(),
                    engine.engine().clientSessions() + engine.engine().serverSessions(),
                    engine.traffic().backlog(),
                    engine.traffic().windowStalls(),
                    engine.traffic().creditStalls(),
                    engine.traffic().creditsLent(),
                    engine.traffic().readsWaiting(),
                    engine.traffic().readsInFlight(),
                    engine.activity().streamsOpen());
        }
    }

    /**
     * A session.
     *
     * @param id its number, to end it by
     * @param role client or server
     * @param target the target it calls, empty for a server's
     * @param peer the peer's control address
     * @param state opening, open or closing
     * @param rcQueuePair number of its connected queue pair, 0 when it has none
     * @param negotiated what both sides agreed on, null before
     * @param outstanding calls in flight or waiting
     * @param roundTrips how long calls take, null at the answering end
     */
    public record Session(
            long id,
            String role,
            String target,
            String peer,
            String state,
            int rcQueuePair,
            @Nullable Negotiated negotiated,
            int outstanding,
            @Nullable RoundTrips roundTrips)
            implements OperationResponseBody {

        static Session of(SessionSnapshot session) {
            return new Session(
                    session.id(),
                    Words.of(session.role()),
                    session.target(),
                    session.peer(),
                    Words.of(session.state()),
                    session.rcQueuePair(),
                    session.info() == null ? null : Negotiated.of(session.info()),
                    session.backlog(),
                    session.roundTrips() == null ? null : RoundTrips.of(session.roundTrips()));
        }
    }

    /**
     * What both sides of a session agreed on.
     *
     * @param device the local device it goes by
     * @param pathMtuBytes payload of one packet
     * @param window calls in flight at a time
     * @param maxMessageBytes longest message
     * @param principal who the peer is by its certificate, null without one
     */
    public record Negotiated(
            String device,
            int pathMtuBytes,
            int window,
            int maxMessageBytes,
            @Nullable String principal) {

        static Negotiated of(SessionInfo info) {
            Principal principal = info.identity().principal();
            return new Negotiated(
                    info.provider() + "/" + info.device(),
                    info.pathMtuBytes(),
                    info.window(),
                    info.maxMessageBytes(),
                    principal == null ? null : PeerText.of(principal.getName()));
        }
    }

    /**
     * How long calls take.
     *
     * @param samples calls measured
     * @param smoothedMicros moving average
     * @param p99Micros what 99 of 100 stayed below, to a factor of two
     * @param timeoutMicros time after which a request is sent again
     */
    public record RoundTrips(long samples, double smoothedMicros, double p99Micros, double timeoutMicros) {

        static RoundTrips of(RoundTripStatistics trips) {
            return new RoundTrips(
                    trips.samples(),
                    trips.smoothedNanos() / NANOS_PER_MICRO,
                    trips.quantileNanos(P99) / NANOS_PER_MICRO,
                    trips.timeoutNanos() / NANOS_PER_MICRO);
        }
    }

    /**
     * Registered memory.
     *
     * @param limitBytes most that may be registered
     * @param registeredBytes registered now, the receive rings not counted
     * @param usedBytes of it in use, what is lent to peers not counted
     * @param regions memory regions of chunks and packet buffers
     * @param blocks blocks in use
     */
    public record Memory(long limitBytes, long registeredBytes, long usedBytes, int regions, int blocks) {

        static Memory of(RdmaRuntime runtime) {
            MemoryStatistics memory = runtime.memory();
            return new Memory(
                    runtime.memoryLimitBytes(),
                    runtime.registeredBytes(),
                    memory.inUseBytes(),
                    memory.chunks(),
                    memory.blocksInUse());
        }
    }

    /**
     * A service of this process.
     *
     * @param name its name
     * @param methods the signatures of its methods
     * @param callsDenied calls of peers that may not call it
     */
    public record Service(String name, List<String> methods, long callsDenied) {

        static Service of(ServiceContract contract, long callsDenied) {
            return new Service(
                    contract.name(),
                    contract.methods().stream()
                            .map(ServiceContract.Method::signature)
                            .toList(),
                    callsDenied);
        }
    }

    /**
     * A client.
     *
     * @param service the service's interface
     * @param target the target's name
     * @param address where that is
     * @param connected whether a session is open
     * @param instances those of a target that has several
     */
    public record Client(
            String service, String target, String address, boolean connected, List<InstanceState> instances) {

        static Client of(RdmaClients.Made client) {
            RdmaTarget target = client.target();
            return new Client(
                    client.service(),
                    target.name(),
                    target.address(),
                    target.channel().isConnected(),
                    target.channel() instanceof BalancedChannel balanced ? balanced.instances() : List.of());
        }
    }
}
