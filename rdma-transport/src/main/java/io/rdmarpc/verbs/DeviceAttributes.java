package io.rdmarpc.verbs;

/**
 * The limits of a device ({@code struct ibv_device_attr}).
 *
 * @param firmwareVersion the firmware's version text
 * @param nodeGuid the node's GUID, big-endian bits
 * @param vendorId the vendor's number
 * @param vendorPartId the vendor's part number
 * @param maxMrSizeBytes largest memory region
 * @param maxQp most queue pairs
 * @param maxQpWr most outstanding work requests of a queue
 * @param maxSge most scatter/gather entries of a work request
 * @param maxCq most completion queues
 * @param maxCqe most entries of a completion queue
 * @param maxMr most memory regions
 * @param maxQpRdAtom most READs and atomics a queue pair answers at a time
 * @param maxQpInitRdAtom most READs and atomics a queue pair has outstanding
 * @param physicalPortCount number of ports, the first is 1
 */
public record DeviceAttributes(
        String firmwareVersion,
        long nodeGuid,
        int vendorId,
        int vendorPartId,
        long maxMrSizeBytes,
        int maxQp,
        int maxQpWr,
        int maxSge,
        int maxCq,
        int maxCqe,
        int maxMr,
        int maxQpRdAtom,
        int maxQpInitRdAtom,
        int physicalPortCount) {}
