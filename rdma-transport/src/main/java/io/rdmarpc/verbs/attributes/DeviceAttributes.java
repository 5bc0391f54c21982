package io.rdmarpc.verbs.attributes;

import java.util.Set;

/**
 * The identity and the limits of a device ({@code struct ibv_device_attr}). The most used limits have accessors in this
 * record; the others are in the nested records.
 *
 * @param firmwareVersion the firmware's version text
 * @param nodeGuid the node's GUID, big-endian bits
 * @param systemImageGuid the GUID of the system that the node is a part of, such as a card with two devices
 * @param vendorId the vendor's number
 * @param vendorPartId the vendor's part number
 * @param hardwareVersion the hardware's version
 * @param physicalPortCount number of ports; the first is 1
 * @param completionVectors number of interrupt vectors for completion events
 * @param localCaAckDelay the device acknowledges within 4.096 µs x 2^localCaAckDelay
 * @param capabilityFlags the {@code IBV_DEVICE_*} bits; see {@link #capabilities()}
 * @param atomicCapability the scope of the device's atomics
 * @param memory limits of registered memory
 * @param queues limits of queues
 * @param reads limits of READs and atomics
 * @param addresses limits of address handles, partition keys and multicast
 * @param obsolete limits of features that current devices lack
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
     * @param maxMrSizeBytes maximum size of a memory region in bytes, {@link Long#MAX_VALUE} if there is no limit
     * @param pageSizes the supported page sizes: the bit of each size is set
     * @param maxMr maximum number of memory regions
     * @param maxMw maximum number of memory windows
     * @param maxPd maximum number of protection domains
     */
    public record MemoryLimits(long maxMrSizeBytes, long pageSizes, int maxMr, int maxMw, int maxPd) {}

    /**
     * Limits of queues.
     *
     * @param maxQp maximum number of queue pairs
     * @param maxQpWr maximum number of outstanding work requests of a queue
     * @param maxSge maximum number of scatter/gather entries of a work request
     * @param maxSgeRead maximum number of scatter/gather entries of a READ
     * @param maxCq maximum number of completion queues
     * @param maxCqe maximum number of entries of a completion queue
     * @param maxSrq maximum number of shared receive queues
     * @param maxSrqWr maximum number of outstanding receives of a shared receive queue
     * @param maxSrqSge maximum number of scatter/gather entries of a shared receive
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
     * @param maxQpRdAtom maximum number that a queue pair serves at a time as responder
     * @param maxQpInitRdAtom maximum number that a queue pair has outstanding as initiator
     * @param maxResRdAtom maximum number that the device serves at a time as responder
     */
    public record ReadLimits(int maxQpRdAtom, int maxQpInitRdAtom, int maxResRdAtom) {}

    /**
     * Limits of address handles, partition keys and multicast.
     *
     * @param maxAh maximum number of address handles
     * @param maxPkeys maximum number of entries of a partition key table
     * @param maxMcastGrp maximum number of multicast groups
     * @param maxMcastQpAttach maximum number of queue pairs of a multicast group
     * @param maxTotalMcastQpAttach maximum number of queue pairs of all multicast groups
     */
    public record AddressLimits(
            int maxAh, int maxPkeys, int maxMcastGrp, int maxMcastQpAttach, int maxTotalMcastQpAttach) {

        /** All limits are 0. */
        public static final AddressLimits NONE = new AddressLimits(0, 0, 0, 0, 0);
    }

    /**
     * Limits of features that current devices lack: reliable datagrams, old raw queue pairs, fast memory registration.
     *
     * @param maxEe maximum number of end-to-end contexts
     * @param maxRdd maximum number of reliable datagram domains
     * @param maxEeRdAtom maximum number of READs and atomics that an end-to-end context serves at a time
     * @param maxEeInitRdAtom maximum number of READs and atomics that an end-to-end context has outstanding
     * @param maxRawIpv6Qp maximum number of raw IPv6 queue pairs
     * @param maxRawEthernetQp maximum number of raw Ethertype queue pairs
     * @param maxFmr maximum number of fast memory regions
     * @param maxMapPerFmr maximum number of mappings of a fast memory region
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

        /** All limits are 0. */
        public static final ObsoleteLimits NONE = new ObsoleteLimits(0, 0, 0, 0, 0, 0, 0, 0);
    }

    /**
     * Returns the device's optional capabilities.
     *
     * @return the capabilities whose bit is set; bits without a constant are ignored
     */
    public Set<DeviceCapability> capabilities() {
        return DeviceCapability.of(capabilityFlags);
    }

    /**
     * Returns the maximum size of a memory region.
     *
     * @return bytes, {@link Long#MAX_VALUE} if there is no limit
     */
    public long maxMrSizeBytes() {
        return memory.maxMrSizeBytes();
    }

    /**
     * Returns the maximum number of memory regions.
     *
     * @return the limit
     */
    public int maxMr() {
        return memory.maxMr();
    }

    /**
     * Returns the maximum number of queue pairs.
     *
     * @return the limit
     */
    public int maxQp() {
        return queues.maxQp();
    }

    /**
     * Returns the maximum number of outstanding work requests of a queue.
     *
     * @return the limit
     */
    public int maxQpWr() {
        return queues.maxQpWr();
    }

    /**
     * Returns the maximum number of scatter/gather entries of a work request.
     *
     * @return the limit
     */
    public int maxSge() {
        return queues.maxSge();
    }

    /**
     * Returns the maximum number of completion queues.
     *
     * @return the limit
     */
    public int maxCq() {
        return queues.maxCq();
    }

    /**
     * Returns the maximum number of entries of a completion queue.
     *
     * @return the limit
     */
    public int maxCqe() {
        return queues.maxCqe();
    }

    /**
     * Returns the maximum number of READs and atomics that a queue pair serves at a time as responder.
     *
     * @return the limit
     */
    public int maxQpRdAtom() {
        return reads.maxQpRdAtom();
    }

    /**
     * Returns the maximum number of READs and atomics that a queue pair has outstanding as initiator.
     *
     * @return the limit
     */
    public int maxQpInitRdAtom() {
        return reads.maxQpInitRdAtom();
    }
}
