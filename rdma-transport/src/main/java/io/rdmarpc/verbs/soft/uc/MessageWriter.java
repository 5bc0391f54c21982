package io.rdmarpc.verbs.soft.uc;

import io.rdmarpc.verbs.soft.qp.ConnectedQueuePair;
import io.rdmarpc.verbs.soft.qp.SendWqe;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.ImmDt;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.soft.wire.Reth;
import java.nio.ByteBuffer;

/**
 * Segments SENDs and WRITEs into packets of one path MTU (InfiniBand Architecture Specification vol. 1, 9.4.1 and
 * 9.4.3; the same for RC and UC). Any packet can be written again at any time from its offset.
 */
public final class MessageWriter {

    /** The result of {@link #write} if the message's memory does not allow the read. */
    public static final int FORBIDDEN = -1;

    private final ConnectedQueuePair qp;
    private final int transport;

    public MessageWriter(ConnectedQueuePair qp, int transport) {
        this.qp = qp;
        this.transport = transport;
    }

    /**
     * Writes one packet.
     *
     * @param offset offset of the payload in the message, a multiple of the path MTU
     * @return bytes of headers and payload, or {@link #FORBIDDEN}
     */
    public int write(PacketBuffer packet, SendWqe wqe, int psn, int offset, boolean requestAck) {
        int payload = Math.min(qp.mtuBytes(), wqe.length - offset);
        boolean last = offset + payload == wqe.length;
        int operation = operation(wqe, offset == 0, last);
        ByteBuffer bytes = packet.bytes();
        Bth.write(bytes, transport | operation, Bth.padCountFor(payload), qp.destinationQpn(), psn, requestAck);
        if (last && wqe.solicited && takesReceive(wqe)) {
            Bth.markSolicited(bytes);
        }
        int header = Bth.BYTES;
        if (wqe.isWrite() && offset == 0) {
            Reth.write(bytes, wqe.remoteAddress, wqe.rkey, wqe.length);
            header += Reth.BYTES;
        }
        if (Opcode.hasImmediate(operation)) {
            ImmDt.write(bytes, header, wqe.immediate);
            header += ImmDt.BYTES;
        }
        return wqe.gather(qp.domain(), offset, payload, packet, header) ? header + payload : FORBIDDEN;
    }

    private static int operation(SendWqe wqe, boolean first, boolean last) {
        return wqe.isWrite()
                ? Opcode.write(first, last, wqe.hasImmediate())
                : Opcode.send(first, last, wqe.hasImmediate());
    }

    private static boolean takesReceive(SendWqe wqe) {
        return !wqe.isWrite() || wqe.hasImmediate();
    }
}
