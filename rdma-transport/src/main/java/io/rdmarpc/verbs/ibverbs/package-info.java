/** The provider for hardware RDMA NICs: libibverbs and librdmacm through Java's foreign function interface. */
@NullMarked
package io.rdmarpc.verbs.ibverbs;

import org.jspecify.annotations.NullMarked;
