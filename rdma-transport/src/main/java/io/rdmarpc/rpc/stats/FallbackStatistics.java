package io.rdmarpc.rpc.stats;

/**
 * How often the second way to a peer was taken, since the first one did not work.
 *
 * @param called sessions of clients of this process
 * @param served sessions that this process serves
 */
public record FallbackStatistics(long called, long served) {}
