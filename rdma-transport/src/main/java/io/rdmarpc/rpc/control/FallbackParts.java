package io.rdmarpc.rpc.control;

/**
 * The fallback path to peers, for use if the first one does not work.
 *
 * @param parts the parts of its engine, on a second NIC
 * @param forClients whether sessions of this process with servers may use it
 * @param forServer whether clients may reach this process over it
 */
public record FallbackParts(ControlParts parts, boolean forClients, boolean forServer) {}
