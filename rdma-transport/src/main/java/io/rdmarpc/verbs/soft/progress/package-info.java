/**
 * How the software RNIC makes progress: its lock, the schedule of queue pairs with work, the threads that poll, and how
 * they sleep.
 */
@NullMarked
package io.rdmarpc.verbs.soft.progress;

import org.jspecify.annotations.NullMarked;
