/** What threads share: clock, idle strategy, inbox, timer wheel. */
@NullMarked
package io.rdmarpc.concurrent;

import org.jspecify.annotations.NullMarked;
