package io.rdmarpc.rpc.stats;

/**
 * How often sessions used the fallback path because the first path to the peer did not work.
 *
 * @param called sessions of clients of this process
 * @param served sessions that this process serves
 */
public record FallbackStatistics(long called, long served) {}
