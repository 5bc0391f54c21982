package io.rdmarpc.rpc.runtime;

import io.rdmarpc.transport.NicContext;
import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.error.RdmaConfigurationException;

/**
 * How many engines a device can have.
 *
 * @param device the device's name
 * @param queuePairs its maximum number of queue pairs; each engine has one for datagrams
 * @param vectors its number of completion vectors, which deliver the events of sleeping engines
 */
record EngineLimit(String device, int queuePairs, int vectors) {

    static EngineLimit of(NicContext nic) {
        DeviceAttributes attributes = nic.context().attributes();
        // The software RNIC has no interrupts: each of its completion channels is notified on its own.
        boolean hasVectors =
                attributes.completionVectors() > 0 && !nic.providerName().equals("soft");
        return new EngineLimit(
                nic.deviceName(),
                attributes.maxQp(),
                hasVectors ? attributes.completionVectors() : PollingConfig.MAX_THREADS);
    }

    /**
     * Checks the number of engines.
     *
     * @param engines the number at the start
     * @param max the number up to which engines may be added; ignored if it is lower
     * @return the number up to which the device allows that
     * @throws RdmaConfigurationException if the device cannot have the engines of the start
     */
    int check(int engines, int max) {
        if (engines > queuePairs) {
            throw tooMany(engines, queuePairs + " queue pairs, and each polling thread needs one", queuePairs);
        }
        if (engines > vectors) {
            throw tooMany(engines, vectors + " completion vectors, and each polling thread needs one", vectors);
        }
        return Math.max(engines, Math.min(max, Math.min(queuePairs, vectors)));
    }

    private RdmaConfigurationException tooMany(int engines, String what, int limit) {
        return new RdmaConfigurationException(
                "polling.threads",
                engines,
                "device " + device + " has " + what,
                "Use at most " + limit + ", or auto, which stays within the limit");
    }
}
