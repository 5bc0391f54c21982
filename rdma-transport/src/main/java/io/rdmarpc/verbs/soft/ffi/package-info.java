/** What the software RNIC calls in the C library: sockets that send and receive many datagrams in one call. */
@NullMarked
package io.rdmarpc.verbs.soft.ffi;

import org.jspecify.annotations.NullMarked;
