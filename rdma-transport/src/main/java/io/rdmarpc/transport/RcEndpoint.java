package io.rdmarpc.transport;

import io.rdmarpc.verbs.attributes.Gid;

/**
 * One end of a reliable connection, as it is sent to the other. Each end has two queue pairs: the requester of one end is connected
 * to the responder of the other.
 *
 * @param gid the GID that both queue pairs send from
 * @param lid its LID; the UDP port of a software RNIC if that is not 4791
 * @param requester the queue pair that READs the other end's memory
 * @param responder the queue pair that answers READs of the other end
 * @param maxReads READs that the responder can answer, and that the requester wants to have outstanding, at a time
 */
public record RcEndpoint(Gid gid, int lid, Half requester, Half responder, int maxReads) {

    /**
     * One queue pair.
     *
     * @param qpn its number
     * @param psn the packet sequence number that it starts with, 24 bits
     */
    public record Half(int qpn, int psn) {

        /** Keeps the packet sequence number to itself: a stranger that knows it can forge packets. */
        @Override
        public String toString() {
            return "Half[qpn=" + qpn + "]";
        }
    }
}
