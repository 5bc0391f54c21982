/**
 * The comparison that {@code ./demo} prints: the same calls over RDMA, over gRPC and over HTTP, each in a server process
 * and a client process.
 */
@NullMarked
package io.rdmarpc.demo.compare;

import org.jspecify.annotations.NullMarked;
