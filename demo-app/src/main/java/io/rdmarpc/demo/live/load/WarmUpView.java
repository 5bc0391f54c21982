package io.rdmarpc.demo.live.load;

/**
 * The progress of a warm-up as the page shows it.
 *
 * @param seconds duration of the warm-up so far, in seconds
 * @param limitSeconds maximum duration of the warm-up in seconds
 */
public record WarmUpView(long seconds, long limitSeconds) {}
