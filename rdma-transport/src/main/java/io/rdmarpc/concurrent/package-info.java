/** What threads share: clock, idle strategy, inbox. */
@NullMarked
package io.rdmarpc.concurrent;

import org.jspecify.annotations.NullMarked;
