/** Internal: state that calls on all processors write, spread so that two processors rarely write the same cache line. */
@NullMarked
package io.rdmarpc.service.concurrent;

import org.jspecify.annotations.NullMarked;
