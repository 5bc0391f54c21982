/** What all parts of one software RNIC share: context, counters, the sender of packets, asynchronous events and completion queues. */
@NullMarked
package io.rdmarpc.verbs.soft.rnic;

import org.jspecify.annotations.NullMarked;
