package io.rdmarpc.async;

import java.util.OptionalInt;

/**
 * What ended a receive.
 *
 * @param length bytes of the message, from the slice's first byte; or, for a write, bytes the peer wrote elsewhere
 * @param immediate what the peer gave with it
 * @param isWrite whether it was a write with immediate data, which leaves the slice alone
 */
public record Received(int length, OptionalInt immediate, boolean isWrite) {}
