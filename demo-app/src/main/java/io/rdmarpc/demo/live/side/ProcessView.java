package io.rdmarpc.demo.live.side;

/**
 * One process as the page shows it.
 *
 * @param name name of the process on the page
 * @param pid process id
 * @param cpus number of processors that the process kept busy since the last snapshot
 * @param heapBytes used heap in bytes
 */
public record ProcessView(String name, long pid, double cpus, long heapBytes) {}
