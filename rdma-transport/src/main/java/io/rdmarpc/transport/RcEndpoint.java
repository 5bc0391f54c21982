package io.rdmarpc.transport;

import io.rdmarpc.verbs.Gid;

/**
 * One end of a reliable connection, as it is sent to the other.
 *
 * @param gid the GID it sends from
 * @param lid its LID; the UDP port of a software RNIC when it is not 4791
 * @param qpn its queue pair
 * @param psn the packet sequence number it starts with, 24 bits
 * @param maxReads READs it can answer, and wants to have outstanding, at a time
 */
public record RcEndpoint(Gid gid, int lid, int qpn, int psn, int maxReads) {}
