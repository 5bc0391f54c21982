package io.rdmarpc.async;

import java.util.OptionalInt;

/**
 * The result of a receive.
 *
 * @param length length of the message, from the first byte of the slice; for a write, the number of bytes written
 *     elsewhere
 * @param immediate the immediate data, empty without
 * @param isWrite whether it was a write with immediate data, which does not change the slice
 */
public record Received(int length, OptionalInt immediate, boolean isWrite) {}
