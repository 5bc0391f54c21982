package io.rdmarpc.verbs.ibverbs.cm;

import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.cm.CmParameters;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmEvent;

/**
 * How many READs and atomics may be under way. Each side says what it can; what one side starts the other must answer,
 * so the least of both counts. The kernel turns the peer's numbers round: those of an event are for this side.
 *
 * @param responderResources how many of the peer this side answers at a time
 * @param initiatorDepth how many this side has outstanding
 */
record CmDepths(int responderResources, int initiatorDepth) {

    /** What to ask for, lowered to what the device can. */
    static CmDepths asked(CmParameters parameters, DeviceAttributes device) {
        return new CmDepths(
                Math.min(parameters.responderResources(), device.maxQpRdAtom()),
                Math.min(parameters.initiatorDepth(), device.maxQpInitRdAtom()));
    }

    CmDepths limitedBy(CmEvent peer) {
        return limitedBy(peer.responderResources(), peer.initiatorDepth());
    }

    CmDepths limitedBy(int peerUses, int peerAnswers) {
        return new CmDepths(Math.min(responderResources, peerUses), Math.min(initiatorDepth, peerAnswers));
    }
}
