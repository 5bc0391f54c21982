package io.rdmarpc.rpc.stats;

/**
 * How many engines a runtime uses on its first NIC.
 *
 * @param active number of engines that get new sessions
 * @param open number of engines with transports and a polling thread; those that are not active sleep
 * @param max maximum number of engines; equal to {@code open} if the number is fixed
 * @param lastChange why the number was changed last, or could not be; empty if it was never changed
 */
public record ScalingSnapshot(int active, int open, int max, String lastChange) {}
