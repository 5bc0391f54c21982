package io.rdmarpc.rpc.message;

/**
 * Where the large messages of a session come from, to share memory and READs among peers. Two sessions are of one peer, or of one
 * connection, if these are equal.
 *
 * @param peer the subject of the peer's certificate; without one, the address of its host
 * @param connection the control connection
 */
public record MessageOrigin(Object peer, Object connection) {}
