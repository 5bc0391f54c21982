package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.AsyncEvent;
import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.soft.link.ScriptedEvents;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import io.rdmarpc.verbs.soft.qp.QueuePairTable;
import io.rdmarpc.verbs.soft.qp.SoftQueuePair;
import io.rdmarpc.verbs.soft.rnic.SoftAsyncEvents;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.Deth;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import org.jspecify.annotations.Nullable;

/** Causes the asynchronous events of a fault script, to test their listeners. Called under the RNIC's lock. */
final class ScriptedFailures implements ScriptedEvents {

    private final QueuePairTable queuePairs;
    private final SoftAsyncEvents events;

    ScriptedFailures(QueuePairTable queuePairs, SoftAsyncEvents events) {
        this.queuePairs = queuePairs;
        this.events = events;
    }

    @Override
    public void onEvent(AsyncEventType type, PacketBuffer packet) {
        switch (type.source()) {
            case QUEUE_PAIR -> fail(senderOf(packet));
            case PORT -> events.add(AsyncEvent.ofPort(type, DeviceConstants.NAME, DeviceConstants.PORT_NUMBER));
            default -> events.add(AsyncEvent.ofDevice(type, DeviceConstants.NAME));
        }
    }

    private static void fail(@Nullable SoftQueuePair qp) {
        if (qp != null) {
            qp.loseCompletion();
        }
    }

    private @Nullable SoftQueuePair senderOf(PacketBuffer packet) {
        return Opcode.isUd(Bth.opcode(packet.bytes()))
                ? queuePairs.find(Deth.sourceQp(packet.bytes()))
                : queuePairs.connectedTo(Bth.destinationQp(packet.bytes()));
    }
}
