package io.rdmarpc.autoconfigure.actuator;

import io.rdmarpc.autoconfigure.client.RdmaClients;
import io.rdmarpc.memory.MemoryStatistics;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.SessionInfo;
import io.rdmarpc.rpc.SessionSnapshot;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.rpc.stats.EngineSnapshot;
import io.rdmarpc.rpc.stats.RoundTripStatistics;
import io.rdmarpc.rpc.stats.ScalingSnapshot;
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
 * The response of {@code /actuator/rdma}.
 *
 * @param device the device in use
 * @param scaling how many polling threads are used
 * @param engines the engines, one for each polling thread
 * @param sessions sessions with peers, as client and as server
 * @param memory registered memory
 * @param services services that this process offers
 * @param clients clients that this process has created
 * @param rejections number of rejected connection attempts, by reason
 */
public record RdmaReport(
        Device device,
        Scaling scaling,
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
     * @param problem why the device opens no sessions at present, or null if it works
     * @param firmware version of its firmware
     * @param port number of the port
     * @param portState state of the port now
     * @param linkLayer InfiniBand or Ethernet
     * @param gid the address it uses
     * @param gidIndex index of the GID in the port's table
     * @param pathMtuBytes maximum payload of one packet
     * @param limits limits of the device
     * @param counters counters of the device
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
     * How many polling threads are used. The setting {@code rdma.polling.threads} is {@code auto}, or a number.
     *
     * @param active number of polling threads whose engines get new sessions
     * @param open number of polling threads; those that are not active sleep
     * @param max maximum number of polling threads
     * @param lastChange why the number of active ones was changed last or could not be, or null if it never was
     */
    public record Scaling(
            int active, int open, int max, @Nullable String lastChange) {

        static Scaling of(ScalingSnapshot scaling) {
            String last = scaling.lastChange();
            return new Scaling(scaling.active(), scaling.open(), scaling.max(), last.isEmpty() ? null : last);
        }
    }

    /**
     * Limits of a device.
     *
     * @param queuePairs maximum number of queue pairs
     * @param workRequests maximum work requests of a queue pair
     * @param completionQueueEntries maximum entries of a completion queue
     * @param memoryRegions maximum number of memory regions
     * @param memoryRegionBytes maximum size of a memory region in bytes
     * @param readsPerQueuePair maximum READs that a queue pair serves as responder at a time
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
     * @param alive whether the thread is alive
     * @param sinceLastCycleMillis time since its last duty cycle, in milliseconds
     * @param utilization fraction of its time that it had work, 0 to 1
     * @param udQueuePair number of its datagram queue pair
     * @param sessions number of its sessions
     * @param backlog calls that wait for a free slot of their session's window
     * @param windowStalls total calls that had to wait for a free slot
     * @param creditStalls total calls that had to wait for a receive at either end
     * @param creditsLent receives lent to busy sessions
     * @param readsWaiting large messages, or parts of them, that wait to be fetched
     * @param readsInFlight RDMA READs posted to the NIC
     * @param streams open streams
     */
    public record Engine(
            String thread,
            boolean alive,
            long sinceLastCycleMillis,
            double utilization,
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
                    engine.traffic().utilization(),
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
     * @param id its number, by which an operator ends it
     * @param role client or server
     * @param target the target it calls, empty for a server's session
     * @param peer the peer's control address
     * @param state {@code opening}, {@code open} or {@code closing}
     * @param rcQueuePair number of its connected queue pair, 0 if it has none
     * @param negotiated what both sides agreed on, null until they have
     * @param outstanding calls in flight or waiting
     * @param roundTrips round-trip times of calls, null at a server
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
     * The parameters that both sides of a session agreed on.
     *
     * @param device the local provider and device, as {@code provider/device}
     * @param pathMtuBytes maximum payload of one packet
     * @param window maximum calls in flight at a time
     * @param maxMessageBytes maximum size of a message
     * @param principal subject of the peer's certificate, or null without one
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
     * Round-trip times of calls.
     *
     * @param samples number of measured calls
     * @param smoothedMicros moving average, in microseconds
     * @param p99Micros 99th percentile in microseconds, to a factor of two
     * @param timeoutMicros retransmission timeout, in microseconds
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
     * @param limitBytes maximum memory that may be registered
     * @param registeredBytes memory registered now, without receive rings
     * @param usedBytes registered memory in use, without memory lent to peers
     * @param regions number of memory regions of chunks and packet buffers
     * @param blocks number of blocks in use
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
     * @param callsDenied calls that were rejected because the peer may not call the service
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
     * @param address the target's address
     * @param connected whether a session is open
     * @param instances the instances of a target that has several, otherwise empty
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
