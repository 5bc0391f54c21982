/** Registered memory: the pools of blocks, the budget, and {@code MessageBuffer}. */
@NullMarked
package io.rdmarpc.memory;

import org.jspecify.annotations.NullMarked;
