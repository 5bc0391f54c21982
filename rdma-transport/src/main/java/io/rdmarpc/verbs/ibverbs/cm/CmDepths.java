package io.rdmarpc.verbs.ibverbs.cm;

import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.cm.CmParameters;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmEvent;

/**
 * The limits of outstanding READs and atomics. Each side reports its limits, and the smaller value applies in each
 * direction: the responder must serve what the initiator has outstanding. The kernel swaps the peer's numbers, so that
 * those of an event apply to this side.
 *
 * @param responderResources maximum number of the peer's requests that this side serves at a time
 * @param initiatorDepth maximum number of requests that this side has outstanding
 */
record CmDepths(int responderResources, int initiatorDepth) {

    /** Returns the requested depths, limited by the device. */
    static CmDepths requested(CmParameters parameters, DeviceAttributes device) {
        return new CmDepths(
                Math.min(parameters.responderResources(), device.maxQpRdAtom()),
                Math.min(parameters.initiatorDepth(), device.maxQpInitRdAtom()));
    }

    CmDepths limitedBy(CmEvent peer) {
        return limitedBy(peer.responderResources(), peer.initiatorDepth());
    }

    CmDepths limitedBy(int peerOutstanding, int peerServes) {
        return new CmDepths(Math.min(responderResources, peerOutstanding), Math.min(initiatorDepth, peerServes));
    }
}
