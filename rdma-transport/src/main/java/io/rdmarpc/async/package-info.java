/** RDMA operations as futures: nodes, connections, and regions that check which operations use their memory. */
@NullMarked
package io.rdmarpc.async;

import org.jspecify.annotations.NullMarked;
