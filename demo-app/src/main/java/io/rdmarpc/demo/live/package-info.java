/** The page: runs load over RDMA, gRPC and HTTP, and shows latency, throughput and cost of each. */
@NullMarked
package io.rdmarpc.demo.live;

import org.jspecify.annotations.NullMarked;
