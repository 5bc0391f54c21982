/** Notifications of writes: the queue of each peer, and the thread that waits for all of them. */
@NullMarked
package io.rdmarpc.remote.notification;

import org.jspecify.annotations.NullMarked;
