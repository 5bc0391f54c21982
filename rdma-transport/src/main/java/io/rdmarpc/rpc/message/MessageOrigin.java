package io.rdmarpc.rpc.message;

/**
 * The origin of a session's large messages, by which peers share memory and READs fairly. Two sessions belong to one
 * peer, or to one connection, if these are equal.
 *
 * @param peer the subject of the peer's certificate; without one, the address of its host
 * @param connection the control connection
 */
public record MessageOrigin(Object peer, Object connection) {}
