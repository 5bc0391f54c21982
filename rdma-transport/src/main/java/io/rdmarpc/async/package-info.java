/** RDMA with one line per operation: nodes, connections, regions, and futures that respect who owns memory. */
@NullMarked
package io.rdmarpc.async;

import org.jspecify.annotations.NullMarked;
