/** The page: runs load over RDMA and over HTTP, and shows latency, throughput and cost of both. */
@NullMarked
package io.rdmarpc.demo.live;

import org.jspecify.annotations.NullMarked;
