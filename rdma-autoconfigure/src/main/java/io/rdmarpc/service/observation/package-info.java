/** Calls and engine counters as Micrometer meters. */
@NullMarked
package io.rdmarpc.service.observation;

import org.jspecify.annotations.NullMarked;
