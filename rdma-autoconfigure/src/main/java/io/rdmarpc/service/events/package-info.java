/**
 * Calls as events of the JDK Flight Recorder. While no recording has enabled an event, a call allocates no event and
 * reads no clock for it.
 */
@NullMarked
package io.rdmarpc.service.events;

import org.jspecify.annotations.NullMarked;
