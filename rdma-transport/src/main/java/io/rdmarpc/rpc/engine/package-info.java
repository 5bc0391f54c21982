/**
 * The event loop of one engine: its duty cycle, its sessions, and the threads that block until their calls have ended.
 */
@NullMarked
package io.rdmarpc.rpc.engine;

import org.jspecify.annotations.NullMarked;
