/** The event loop of one engine: its duty cycle, its sessions, and the threads that wait in it. */
@NullMarked
package io.rdmarpc.rpc.engine;

import org.jspecify.annotations.NullMarked;
