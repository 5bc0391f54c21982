package io.rdmarpc.service.observation;

import java.util.List;

/**
 * Every meter there is: one list for code, documentation and dashboards. Each has the same tag keys at all times. Values of
 * tags come from the configuration, the code or the device, never from messages or peers: their number is bounded.
 */
public enum RdmaMeter {
    /** Calls of this process. */
    CLIENT_REQUESTS(
            "rdma.client.requests",
            Kind.TIMER,
            "seconds",
            "Calls this process has made, from the call to its result",
            "rpc.system rpc.service rpc.method outcome rdma.status exception rdma.target"),
    /** Calls to this process. */
    SERVER_REQUESTS(
            "rdma.server.requests",
            Kind.TIMER,
            "seconds",
            "Calls of clients, from their arrival to the answer",
            "rpc.system rpc.service rpc.method outcome rdma.status exception"),
    /** Datagrams. */
    PACKETS("rdma.packets", Kind.COUNTER, "packets", "Datagrams of the engines", "device direction"),
    /** Bytes of datagrams. */
    BYTES("rdma.bytes", Kind.COUNTER, "bytes", "Headers and payload of the engines' datagrams", "device direction"),
    /** Messages in datagrams. */
    MESSAGES("rdma.messages", Kind.COUNTER, "messages", "Messages in datagrams sent, repeated ones included", "device"),
    /** Those that shared one. */
    MESSAGES_BUNDLED(
            "rdma.messages.bundled", Kind.COUNTER, "messages", "Messages sent that shared a datagram", "device"),
    /** READs. */
    READS(
            "rdma.reads",
            Kind.COUNTER,
            "reads",
            "RDMA READs that fetched large messages, and large messages seen in place",
            "device"),
    /** Bytes of READs. */
    READ_BYTES("rdma.read.bytes", Kind.COUNTER, "bytes", "Bytes fetched by RDMA READ, or seen in place", "device"),
    /** READs that wait. */
    READS_WAITING(
            "rdma.reads.waiting",
            Kind.GAUGE,
            "reads",
            "Large messages that wait for the READ budget, memory or a queue",
            "device"),
    /** READs at the NIC. */
    READS_IN_FLIGHT(
            "rdma.reads.in.flight", Kind.GAUGE, "reads", "RDMA READs, or parts of long ones, at the NIC", "device"),
    /** Sessions that end for READs without progress. */
    READS_STALLED(
            "rdma.reads.stalled",
            Kind.COUNTER,
            "sessions",
            "Sessions that ended because their RDMA READs completed nothing",
            "device"),
    /** Calls by how far they came. */
    CALLS(
            "rdma.calls",
            Kind.COUNTER,
            "calls",
            "Calls of this process that started, were answered, or failed",
            "device state"),
    /** Requests. */
    REQUESTS("rdma.requests", Kind.COUNTER, "requests", "Calls of clients, each counted once", "device"),
    /** Calls under way. */
    CALLS_IN_FLIGHT("rdma.calls.in.flight", Kind.GAUGE, "calls", "Calls that have not ended", "device role"),
    /** Calls given up. */
    CALLS_CANCELLED("rdma.calls.cancelled", Kind.COUNTER, "calls", "Calls that their caller gave up", "device role"),
    /** Calls that wait. */
    BACKLOG("rdma.backlog", Kind.GAUGE, "calls", "Calls of this process that wait for the window", "device"),
    /** Calls that had to wait. */
    STALLS("rdma.stalls", Kind.COUNTER, "calls", "Calls that had to wait before they were sent", "device reason"),
    /** Streams opened. */
    STREAMS_OPENED("rdma.streams.opened", Kind.COUNTER, "streams", "Streams opened by either side", "device"),
    /** Streams open. */
    STREAMS("rdma.streams", Kind.GAUGE, "streams", "Streams open", "device"),
    /** Requests sent again. */
    RETRANSMISSIONS(
            "rdma.retransmissions", Kind.COUNTER, "requests", "Requests sent again because no answer came", "device"),
    /** Requests received again. */
    DUPLICATES("rdma.duplicates", Kind.COUNTER, "requests", "Requests received again", "device"),
    /** Packets dropped. */
    DROPS("rdma.drops", Kind.COUNTER, "packets", "Packets dropped, and calls refused for overload", "device reason"),
    /** Peers refused. */
    REFUSALS("rdma.refusals", Kind.COUNTER, "peers", "Connections and sessions of clients refused", "device reason"),
    /** Accesses to memory that peers had no right to. */
    ACCESS_ERRORS(
            "rdma.access.errors",
            Kind.COUNTER,
            "accesses",
            "Accesses of peers to memory that was not lent to them",
            "device"),
    /** Second ways taken. */
    FALLBACKS(
            "rdma.fallbacks",
            Kind.COUNTER,
            "sessions",
            "Sessions that go by the software RNIC since the device does not reach the peer",
            "device role"),
    /** Failures of the datagram queue pair. */
    DATAGRAM_FAILURES(
            "rdma.datagram.failures",
            Kind.COUNTER,
            "failures",
            "Times a datagram queue pair failed and was brought back",
            "device"),
    /** Receives lent. */
    CREDITS_LENT(
            "rdma.credits.lent", Kind.GAUGE, "entries", "Entries of the receive rings lent to busy sessions", "device"),
    /** Timers. */
    TIMERS("rdma.timers", Kind.GAUGE, "sessions", "Sessions that wait for a time", "device"),
    /** Turns of a loop. */
    POLL_ITERATIONS("rdma.poll.iterations", Kind.COUNTER, "turns", "Turns of the polling loop", "device thread"),
    /** Time of turns. */
    POLL_TIME(
            "rdma.poll.time",
            Kind.COUNTER,
            "seconds",
            "Time of the polling loop, by whether there was work",
            "device thread state"),
    /** Utilisation. */
    POLL_UTILISATION(
            "rdma.poll.utilisation",
            Kind.GAUGE,
            "",
            "Share of its time since the start that the loop had work",
            "device thread"),
    /** How long ago a loop turned. */
    POLL_LAST_TURN(
            "rdma.poll.last.turn", Kind.GAUGE, "seconds", "Time since the loop began its last turn", "device thread"),
    /** Sessions. */
    SESSIONS(
            "rdma.sessions",
            Kind.GAUGE,
            "sessions",
            "Sessions, also those that open or close",
            "device role rdma.target state"),
    /** Round trips. */
    ROUND_TRIP(
            "rdma.round.trip",
            Kind.GAUGE,
            "seconds",
            "Moving average of round trips, over the target's sessions",
            "device rdma.target"),
    /** Long round trips. */
    ROUND_TRIP_P99(
            "rdma.round.trip.p99",
            Kind.GAUGE,
            "seconds",
            "What 99 of 100 round trips stayed below, to a factor of two, of the target's slowest session",
            "device rdma.target"),
    /** Registered memory. */
    MEMORY_REGISTERED(
            "rdma.memory.registered",
            Kind.GAUGE,
            "bytes",
            "Memory registered for messages, the receive rings not counted",
            "device"),
    /** Its limit. */
    MEMORY_LIMIT("rdma.memory.limit", Kind.GAUGE, "bytes", "Most memory that may be registered for messages", "device"),
    /** What of it is used. */
    MEMORY_USED(
            "rdma.memory.used",
            Kind.GAUGE,
            "bytes",
            "Registered memory in use, what is lent to peers not counted",
            "device"),
    /** Chunks. */
    MEMORY_CHUNKS("rdma.memory.chunks", Kind.GAUGE, "chunks", "Memory regions behind it", "device"),
    /** The port. */
    PORT_ACTIVE("rdma.port.active", Kind.GAUGE, "", "1 when the device and its port work, else 0", "device"),
    /** The device's own counters. */
    DEVICE_COUNTER(
            "rdma.device.counter",
            Kind.COUNTER,
            "",
            "Counters that the device keeps of its port, by the driver's names",
            "device counter"),
    /** Connections about memory. */
    REMOTE_LINKS("rdma.remote.links", Kind.GAUGE, "peers", "Connections to peers about remote memory", "device"),
    /** Regions, both ways. */
    REMOTE_REGIONS(
            "rdma.remote.regions",
            Kind.GAUGE,
            "regions",
            "Regions of remote memory that peers have of this process, or it of them",
            "device role"),
    /** Grants. */
    REMOTE_GRANTS("rdma.remote.grants", Kind.GAUGE, "grants", "Grants of own memory that have not ended", "device"),
    /** Memory lent. */
    REMOTE_LENT("rdma.remote.lent", Kind.GAUGE, "bytes", "Memory allocated here for peers", "device"),
    /** What became of leases. */
    REMOTE_LEASES(
            "rdma.remote.leases",
            Kind.COUNTER,
            "leases",
            "Leases of memory of this process that began, were renewed, or ended",
            "device event"),
    /** Notices. */
    REMOTE_NOTICES("rdma.remote.notices", Kind.COUNTER, "writes", "Writes that listeners were told of", "device"),
    /** What peers did not get. */
    REMOTE_REFUSALS(
            "rdma.remote.refusals", Kind.COUNTER, "questions", "What peers asked for and did not get", "device reason"),
    /** Operations. */
    REMOTE_OPERATIONS(
            "rdma.remote.operations",
            Kind.COUNTER,
            "operations",
            "One-sided operations of this process on memory of peers",
            "device operation"),
    /** Their bytes. */
    REMOTE_BYTES(
            "rdma.remote.bytes", Kind.COUNTER, "bytes", "Bytes that these have read or written", "device operation"),
    /** Those that did not work. */
    REMOTE_FAILURES(
            "rdma.remote.failures",
            Kind.COUNTER,
            "operations",
            "One-sided operations that were refused here, or failed at a device or with the connection",
            "device reason");

    /** What a meter measures. */
    public enum Kind {
        /** How often and how long. */
        TIMER,
        /** What only grows. */
        COUNTER,
        /** How much there is now. */
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
     * Returns its name.
     *
     * @return as Micrometer knows it, with dots
     */
    public String meterName() {
        return meter;
    }

    /**
     * Returns what it measures.
     *
     * @return its kind
     */
    public Kind kind() {
        return kind;
    }

    /**
     * Returns its base unit.
     *
     * @return empty for a mere number
     */
    public String unit() {
        return unit;
    }

    /**
     * Says what it means.
     *
     * @return one line
     */
    public String description() {
        return description;
    }

    /**
     * Returns its tag keys.
     *
     * @return all of them, which each of its meters has
     */
    public List<String> tags() {
        return List.of(tags.split(" ", -1));
    }
}
