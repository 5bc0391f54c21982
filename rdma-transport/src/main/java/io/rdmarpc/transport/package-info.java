/** Datagram and connected transports over one NIC. */
@NullMarked
package io.rdmarpc.transport;

import org.jspecify.annotations.NullMarked;
