package io.rdmarpc.verbs.attributes;

import java.util.Set;

/**
 * What a device is and its limits ({@code struct ibv_device_attr}). The limits asked for most have a method of their
 * own here; the others are in the groups.
 *
 * @param firmwareVersion the firmware's version text
 * @param nodeGuid the node's GUID, big-endian bits
 * @param systemImageGuid the GUID of the whole that the node is a part of, such as a card with two devices
 * @param vendorId the vendor's number
 * @param vendorPartId the vendor's part number
 * @param hardwareVersion the hardware's version
 * @param physicalPortCount number of ports, the first is 1
 * @param completionVectors number of interrupt vectors that completion events can be spread over
 * @param localCaAckDelay the device answers within 4.096 us times 2 to the power of this
 * @param capabilityFlags the {@code IBV_DEVICE_*} bits; see {@link #capabilities()}
 * @param atomicCapability what its atomics are atomic with
 * @param memory limits of registered memory
 * @param queues limits of queues
 * @param reads limits of READs and atomics
 * @param addresses limits of address handles, partition keys and multicast
 * @param obsolete limits of what no device has any more
 */
public record DeviceAttributes(
        String firmwareVersion,
        long nodeGuid,
        long systemImageGuid,
        int vendorId,
        int vendorPartId,
        int hardwareVersion,
        int physicalPortCount,
        int completionVectors,
        int localCaAckDelay,
        int capabilityFlags,
        AtomicCapability atomicCapability,
        MemoryLimits memory,
        QueueLimits queues,
        ReadLimits reads,
        AddressLimits addresses,
        ObsoleteLimits obsolete) {

    /**
     * Limits of registered memory.
     *
     * @param maxMrSizeBytes largest memory region, {@link Long#MAX_VALUE} when there is no limit
     * @param pageSizes the page sizes it can use: the bit of each size is set
     * @param maxMr most memory regions
     * @param maxMw most memory windows
     * @param maxPd most protection domains
     */
    public record MemoryLimits(long maxMrSizeBytes, long pageSizes, int maxMr, int maxMw, int maxPd) {}

    /**
     * Limits of queues.
     *
     * @param maxQp most queue pairs
     * @param maxQpWr most outstanding work requests of a queue
     * @param maxSge most scatter/gather entries of a work request
     * @param maxSgeRead most scatter/gather entries of a READ
     * @param maxCq most completion queues
     * @param maxCqe most entries of a completion queue
     * @param maxSrq most shared receive queues
     * @param maxSrqWr most outstanding receives of a shared receive queue
     * @param maxSrqSge most scatter/gather entries of a shared receive
     */
    public record QueueLimits(
            int maxQp,
            int maxQpWr,
            int maxSge,
            int maxSgeRead,
            int maxCq,
            int maxCqe,
            int maxSrq,
            int maxSrqWr,
            int maxSrqSge) {}

    /**
     * Limits of READs and atomics.
     *
     * @param maxQpRdAtom most that a queue pair answers at a time
     * @param maxQpInitRdAtom most that a queue pair has outstanding
     * @param maxResRdAtom most that the device answers at a time
     */
    public record ReadLimits(int maxQpRdAtom, int maxQpInitRdAtom, int maxResRdAtom) {}

    /**
     * Limits of address handles, partition keys and multicast.
     *
     * @param maxAh most address handles
     * @param maxPkeys most entries of a partition key table
     * @param maxMcastGrp most multicast groups
     * @param maxMcastQpAttach most queue pairs of a multicast group
     * @param maxTotalMcastQpAttach most queue pairs of all multicast groups
     */
    public record AddressLimits(
            int maxAh, int maxPkeys, int maxMcastGrp, int maxMcastQpAttach, int maxTotalMcastQpAttach) {

        /** Nothing of it. */
        public static final AddressLimits NONE = new AddressLimits(0, 0, 0, 0, 0);
    }

    /**
     * Limits of what no device has any more: reliable datagrams, raw queue pairs of old, fast memory registration.
     *
     * @param maxEe most end-to-end contexts
     * @param maxRdd most reliable datagram domains
     * @param maxEeRdAtom most READs and atomics that an end-to-end context answers at a time
     * @param maxEeInitRdAtom most READs and atomics that an end-to-end context has outstanding
     * @param maxRawIpv6Qp most raw IPv6 queue pairs
     * @param maxRawEthernetQp most raw Ethertype queue pairs
     * @param maxFmr most fast memory regions
     * @param maxMapPerFmr most times a fast memory region can be mapped
     */
    public record ObsoleteLimits(
            int maxEe,
            int maxRdd,
            int maxEeRdAtom,
            int maxEeInitRdAtom,
            int maxRawIpv6Qp,
            int maxRawEthernetQp,
            int maxFmr,
            int maxMapPerFmr) {

        /** Nothing of it. */
        public static final ObsoleteLimits NONE = new ObsoleteLimits(0, 0, 0, 0, 0, 0, 0, 0);
    }

    /**
     * Returns what it can do besides the basics.
     *
     * @return the capabilities whose bit is set, as far as this version knows them
     */
    public Set<DeviceCapability> capabilities() {
        return DeviceCapability.of(capabilityFlags);
    }

    /**
     * Returns the size of the largest memory region.
     *
     * @return bytes, {@link Long#MAX_VALUE} when there is no limit
     */
    public long maxMrSizeBytes() {
        return memory.maxMrSizeBytes();
    }

    /**
     * Returns the number of memory regions there can be.
     *
     * @return the limit
     */
    public int maxMr() {
        return memory.maxMr();
    }

    /**
     * Returns the number of queue pairs there can be.
     *
     * @return the limit
     */
    public int maxQp() {
        return queues.maxQp();
    }

    /**
     * Returns the number of work requests a queue can have outstanding.
     *
     * @return the limit
     */
    public int maxQpWr() {
        return queues.maxQpWr();
    }

    /**
     * Returns the number of scatter/gather entries a work request can have.
     *
     * @return the limit
     */
    public int maxSge() {
        return queues.maxSge();
    }

    /**
     * Returns the number of completion queues there can be.
     *
     * @return the limit
     */
    public int maxCq() {
        return queues.maxCq();
    }

    /**
     * Returns the number of entries a completion queue can have.
     *
     * @return the limit
     */
    public int maxCqe() {
        return queues.maxCqe();
    }

    /**
     * Returns the number of READs and atomics a queue pair answers at a time.
     *
     * @return the limit
     */
    public int maxQpRdAtom() {
        return reads.maxQpRdAtom();
    }

    /**
     * Returns the number of READs and atomics a queue pair can have outstanding.
     *
     * @return the limit
     */
    public int maxQpInitRdAtom() {
        return reads.maxQpInitRdAtom();
    }
}
