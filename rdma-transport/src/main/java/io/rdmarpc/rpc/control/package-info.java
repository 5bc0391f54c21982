/** The control connections: handshake, sessions, heartbeats, and the commands for engines. */
@NullMarked
package io.rdmarpc.rpc.control;

import org.jspecify.annotations.NullMarked;
