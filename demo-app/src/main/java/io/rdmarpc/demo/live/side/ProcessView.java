package io.rdmarpc.demo.live.side;

/**
 * One process as the page shows it.
 *
 * @param name which
 * @param pid its id
 * @param cpus processors it kept busy since the last snapshot
 * @param heapBytes heap in use
 */
public record ProcessView(String name, long pid, double cpus, long heapBytes) {}
