/** The order service over gRPC: generated stubs, and messages mapped to the records of the service. */
@NullMarked
package io.rdmarpc.demo.grpc;

import org.jspecify.annotations.NullMarked;
