/** How the software RNIC moves on: its lock, the schedule of what has something to send, the threads that poll, and how they sleep. */
@NullMarked
package io.rdmarpc.verbs.soft.progress;

import org.jspecify.annotations.NullMarked;
