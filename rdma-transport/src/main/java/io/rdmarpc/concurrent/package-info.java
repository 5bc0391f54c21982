/** What threads share: clock, idle strategy, inbox, limits of waits. */
@NullMarked
package io.rdmarpc.concurrent;

import org.jspecify.annotations.NullMarked;
