/** The state that all components of one engine share: clock, timers, commands, counters, failures. */
@NullMarked
package io.rdmarpc.rpc.engine.context;

import org.jspecify.annotations.NullMarked;
