package io.rdmarpc.transport;

import io.rdmarpc.verbs.attributes.Gid;

/**
 * One end of a reliable connection, as sent to the other end. Each end has two queue pairs: the requester of one end is
 * connected to the responder of the other.
 *
 * @param gid the GID that both queue pairs send from
 * @param lid the LID; the UDP port of a software RNIC if that is not 4791
 * @param requester the queue pair that READs the other end's memory
 * @param responder the queue pair that serves READs of the other end
 * @param maxReads maximum number of outstanding READs that the responder serves and that the requester wants
 */
public record RcEndpoint(Gid gid, int lid, Half requester, Half responder, int maxReads) {

    /**
     * One queue pair.
     *
     * @param qpn its number
     * @param psn the packet sequence number that it starts with, 24 bits
     */
    public record Half(int qpn, int psn) {

        /** Omits the packet sequence number, because an attacker who knows it can forge packets. */
        @Override
        public String toString() {
            return "Half[qpn=" + qpn + "]";
        }
    }
}
