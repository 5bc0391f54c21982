/** Building blocks that threads share: clock, idle strategies, inbox, timer wheel, loop ownership, limits of waits. */
@NullMarked
package io.rdmarpc.concurrent;

import org.jspecify.annotations.NullMarked;
