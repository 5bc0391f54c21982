package io.rdmarpc.rpc.control;

/**
 * A second way to peers, for where the first one does not work.
 *
 * @param parts its engine, on a NIC of its own
 * @param forClients whether sessions of this process with servers may take it
 * @param forServer whether clients may take it to this process
 */
public record FallbackParts(ControlParts parts, boolean forClients, boolean forServer) {}
