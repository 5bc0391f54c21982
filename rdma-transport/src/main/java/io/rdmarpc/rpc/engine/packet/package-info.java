/** Packets of one engine: the receive ring and its credits, packets to send and their batches. */
@NullMarked
package io.rdmarpc.rpc.engine.packet;

import org.jspecify.annotations.NullMarked;
