/**
 * The objects that all parts of one software RNIC share: context, counters, packet sender, asynchronous events and
 * completion queues.
 */
@NullMarked
package io.rdmarpc.verbs.soft.rnic;

import org.jspecify.annotations.NullMarked;
