package io.rdmarpc.async;

import java.util.OptionalInt;

/**
 * The result of a receive.
 *
 * @param length length of the message in bytes, from the first byte of the slice; for a write with immediate data, the
 *     length of the write
 * @param immediate the immediate data, or empty if there is none
 * @param isWrite whether it was a write with immediate data, which does not change the slice
 */
public record Received(int length, OptionalInt immediate, boolean isWrite) {}
