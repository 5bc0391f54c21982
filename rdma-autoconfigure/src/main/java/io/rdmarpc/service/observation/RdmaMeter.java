package io.rdmarpc.service.observation;

import java.util.List;

/**
 * Lists all meters: code, documentation, dashboards and tests use this list. A tag's values come from the configuration, the
 * code or the device, never from messages or peers, so their number is bounded.
 */
public enum RdmaMeter {
    /** Outgoing calls. */
    CLIENT_CALLS(
            "rpc.client.call.duration",
            Kind.TIMER,
            "seconds",
            "Duration of outgoing calls, with all their attempts",
            "rpc.system.name rpc.method rpc.status_code error.type rdma.target server.address server.port"),
    /** Incoming calls. */
    SERVER_CALLS(
            "rpc.server.call.duration",
            Kind.TIMER,
            "seconds",
            "Duration of incoming calls, from arrival to response",
            "rpc.system.name rpc.method rpc.status_code error.type"),
    /** Attempts of calls. */
    CALLS(
            "rdma.engine.calls",
            Kind.COUNTER,
            "calls",
            "Calls started or received, each attempt counted once, retransmissions not counted",
            "device role"),
    /** Attempts without a response. */
    CALLS_FAILED(
            "rdma.engine.calls.failed",
            Kind.COUNTER,
            "calls",
            "Outgoing attempts that ended without a response",
            "device role"),
    /** Calls rejected for overload. */
    CALLS_REJECTED(
            "rdma.engine.calls.rejected",
            Kind.COUNTER,
            "calls",
            "Incoming calls that an engine rejected because the server is overloaded",
            "device role"),
    /** Calls in progress. */
    CALLS_ACTIVE(
            "rdma.engine.calls.active", Kind.GAUGE, "calls", "Calls in progress, queued ones included", "device role"),
    /** Calls that wait for the window. */
    CALLS_QUEUED(
            "rdma.engine.calls.queued",
            Kind.GAUGE,
            "calls",
            "Outgoing calls that wait for a slot of the window",
            "device role"),
    /** Calls that had to wait. */
    CALLS_DELAYED(
            "rdma.engine.calls.delayed",
            Kind.COUNTER,
            "calls",
            "Outgoing calls that flow or congestion control delayed",
            "device role reason"),
    /** Streams opened. */
    STREAMS("rdma.engine.streams", Kind.COUNTER, "streams", "Streams opened by either side", "device"),
    /** Open streams. */
    STREAMS_ACTIVE("rdma.engine.streams.active", Kind.GAUGE, "streams", "Open streams", "device"),
    /** Datagrams. */
    PACKETS("rdma.engine.packets", Kind.COUNTER, "packets", "Datagrams sent and received", "device direction"),
    /** Datagrams dropped. */
    PACKETS_DROPPED(
            "rdma.engine.packets.dropped",
            Kind.COUNTER,
            "packets",
            "Received datagrams that were dropped",
            "device reason"),
    /** Bytes of datagrams. */
    BYTES("rdma.engine.bytes", Kind.COUNTER, "bytes", "Headers and payload of datagrams", "device direction"),
    /** Messages in datagrams. */
    MESSAGES(
            "rdma.engine.messages",
            Kind.COUNTER,
            "messages",
            "Messages sent in datagrams, retransmissions included",
            "device"),
    /** Messages that shared a datagram. */
    MESSAGES_BATCHED(
            "rdma.engine.messages.batched", Kind.COUNTER, "messages", "Messages sent that shared a datagram", "device"),
    /** Retransmissions. */
    RETRANSMISSIONS(
            "rdma.engine.retransmissions",
            Kind.COUNTER,
            "retransmissions",
            "Requests retransmitted because no response came in time",
            "device"),
    /** Duplicate requests. */
    DUPLICATES("rdma.engine.duplicates", Kind.COUNTER, "duplicates", "Requests received again", "device"),
    /** RDMA READs. */
    READS(
            "rdma.engine.reads",
            Kind.COUNTER,
            "reads",
            "RDMA READs of large messages, and large messages read in place",
            "device"),
    /** Bytes of RDMA READs. */
    READ_BYTES(
            "rdma.engine.read.bytes",
            Kind.COUNTER,
            "bytes",
            "Bytes of large messages fetched by RDMA READ or read in place",
            "device"),
    /** RDMA READs at the NIC. */
    READS_ACTIVE(
            "rdma.engine.reads.active", Kind.GAUGE, "reads", "RDMA READs, or parts of long ones, at the NIC", "device"),
    /** RDMA READs that wait. */
    READS_QUEUED(
            "rdma.engine.reads.queued",
            Kind.GAUGE,
            "reads",
            "Large messages that wait for the READ budget, memory or a send queue",
            "device"),
    /** Timeouts of RDMA READs. */
    READ_TIMEOUTS(
            "rdma.engine.read.timeouts",
            Kind.COUNTER,
            "timeouts",
            "Sessions that ended because their RDMA READs made no progress",
            "device"),
    /** Borrowed receive credits. */
    CREDITS_BORROWED(
            "rdma.engine.credits.borrowed",
            Kind.GAUGE,
            "credits",
            "Receive credits that busy sessions use beyond their own",
            "device"),
    /** Armed timers. */
    TIMERS("rdma.engine.timers", Kind.GAUGE, "timers", "Sessions with an armed timer", "device"),
    /** Failures of the datagram queue pair. */
    QUEUE_PAIR_FAILURES(
            "rdma.engine.queue.pair.failures",
            Kind.COUNTER,
            "failures",
            "Failures of a datagram queue pair, each followed by a reset",
            "device"),
    /** Duty cycles. */
    LOOP_CYCLES("rdma.event.loop.cycles", Kind.COUNTER, "cycles", "Duty cycles of the event loop", "device thread"),
    /** Time of duty cycles. */
    LOOP_TIME(
            "rdma.event.loop.time",
            Kind.COUNTER,
            "seconds",
            "Time of duty cycles, with work (busy) and without (idle)",
            "device thread state"),
    /** Age of the last duty cycle. */
    LOOP_CYCLE_AGE(
            "rdma.event.loop.cycle.age",
            Kind.GAUGE,
            "seconds",
            "Time since the last duty cycle began",
            "device thread"),
    /** Sessions. */
    SESSIONS(
            "rdma.sessions",
            Kind.GAUGE,
            "sessions",
            "Sessions that are opening, open or closing",
            "device role rdma.target state"),
    /** Rejected sessions. */
    SESSIONS_REJECTED(
            "rdma.sessions.rejected",
            Kind.COUNTER,
            "sessions",
            "Connections and sessions of clients that the server rejected",
            "device reason"),
    /** Sessions on the fallback path. */
    SESSION_FALLBACKS(
            "rdma.sessions.fallbacks",
            Kind.COUNTER,
            "fallbacks",
            "Sessions that use the software RNIC because the device does not reach the peer",
            "device role"),
    /** Smoothed round-trip time. */
    SESSION_ROUND_TRIP(
            "rdma.sessions.round.trip.time",
            Kind.GAUGE,
            "seconds",
            "Smoothed round-trip time, the mean over the open sessions of a target",
            "device rdma.target"),
    /** Registered memory in use. */
    MEMORY_USED(
            "rdma.memory.used",
            Kind.GAUGE,
            "bytes",
            "Registered memory in use, memory lent to peers not counted",
            "device"),
    /** Registered memory. */
    MEMORY_REGISTERED(
            "rdma.memory.registered",
            Kind.GAUGE,
            "bytes",
            "Memory registered for messages, receive rings not counted",
            "device"),
    /** Maximum of registered memory. */
    MEMORY_MAX("rdma.memory.max", Kind.GAUGE, "bytes", "Maximum of memory registered for messages", "device"),
    /** Memory regions. */
    MEMORY_REGIONS("rdma.memory.regions", Kind.GAUGE, "regions", "Memory regions registered for messages", "device"),
    /** Accesses of peers without a grant. */
    MEMORY_ACCESS_ERRORS(
            "rdma.memory.access.errors",
            Kind.COUNTER,
            "errors",
            "Accesses of peers to memory without a valid grant",
            "device"),
    /** State of the port. */
    PORT_ACTIVE("rdma.device.port.active", Kind.GAUGE, "", "1 if the device and its port work, otherwise 0", "device"),
    /** Counters of the port. */
    DEVICE_COUNTER(
            "rdma.device.counter",
            Kind.COUNTER,
            "",
            "Counters of the port, by the names that the driver uses",
            "device counter"),
    /** Connections for remote memory. */
    REMOTE_CONNECTIONS(
            "rdma.remote.memory.connections",
            Kind.GAUGE,
            "connections",
            "Connections to peers for remote memory",
            "device"),
    /** Open regions. */
    REMOTE_REGIONS(
            "rdma.remote.memory.regions",
            Kind.GAUGE,
            "regions",
            "Regions of this process open at peers (server), or of peers here (client)",
            "device role"),
    /** Active grants. */
    REMOTE_GRANTS(
            "rdma.remote.memory.grants", Kind.GAUGE, "grants", "Active grants of memory of this process", "device"),
    /** Memory allocated for peers. */
    REMOTE_ALLOCATED(
            "rdma.remote.memory.allocated",
            Kind.GAUGE,
            "bytes",
            "Memory of this process allocated for peers",
            "device"),
    /** Events of leases. */
    REMOTE_LEASE_EVENTS(
            "rdma.remote.memory.lease.events",
            Kind.COUNTER,
            "events",
            "Begin, renewal and end of leases of memory of this process",
            "device event"),
    /** Notifications of writes. */
    REMOTE_NOTIFICATIONS(
            "rdma.remote.memory.notifications",
            Kind.COUNTER,
            "notifications",
            "Writes of peers that listeners were notified of",
            "device"),
    /** Rejected requests for memory. */
    REMOTE_REQUESTS_REJECTED(
            "rdma.remote.memory.requests.rejected",
            Kind.COUNTER,
            "requests",
            "Requests of peers for memory that this process rejected",
            "device reason"),
    /** One-sided operations. */
    REMOTE_OPERATIONS(
            "rdma.remote.memory.operations",
            Kind.COUNTER,
            "operations",
            "One-sided operations of this process on memory of peers",
            "device operation"),
    /** Failed one-sided operations. */
    REMOTE_OPERATIONS_FAILED(
            "rdma.remote.memory.operations.failed",
            Kind.COUNTER,
            "operations",
            "One-sided operations that failed, at the check before posting or in transport",
            "device reason"),
    /** Bytes of one-sided operations. */
    REMOTE_BYTES(
            "rdma.remote.memory.bytes",
            Kind.COUNTER,
            "bytes",
            "Bytes read and written by one-sided operations",
            "device operation");

    /** Kinds of meters. */
    public enum Kind {
        /** Counts events and adds up their durations. */
        TIMER,
        /** Counts events since the start. */
        COUNTER,
        /** Shows a current amount. */
        GAUGE
    }

    private final String meter;
    private final Kind kind;
    private final String unit;
    private final String description;
    private final String tags;

    RdmaMeter(String meter, Kind kind, String unit, String description, String tags) {
        this.meter = meter;
        this.kind = kind;
        this.unit = unit;
        this.description = description;
        this.tags = tags;
    }

    /**
     * Returns the name in Micrometer.
     *
     * @return words separated by dots
     */
    public String meterName() {
        return meter;
    }

    /**
     * Returns the kind.
     *
     * @return timer, counter or gauge
     */
    public Kind kind() {
        return kind;
    }

    /**
     * Returns the base unit.
     *
     * @return plural noun, empty if the value has no unit
     */
    public String unit() {
        return unit;
    }

    /**
     * Returns the description.
     *
     * @return at most 15 words
     */
    public String description() {
        return description;
    }

    /**
     * Returns the tag keys.
     *
     * @return all keys; a timer of calls leaves out a key that has no value
     */
    public List<String> tags() {
        return List.of(tags.split(" ", -1));
    }
}
