/** Packets of one engine: the receive ring and its credits, outgoing packets and their batches. */
@NullMarked
package io.rdmarpc.rpc.engine.packet;

import org.jspecify.annotations.NullMarked;
