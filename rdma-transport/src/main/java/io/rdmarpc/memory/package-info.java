/** Registered memory: the arena, its allocators, and {@code MessageBuffer}. */
@NullMarked
package io.rdmarpc.memory;

import org.jspecify.annotations.NullMarked;
