/**
 * The layout of memory that processes on one host share: rings of packets, states of both ends, and the table of keys.
 */
@NullMarked
package io.rdmarpc.verbs.soft.shm.layout;

import org.jspecify.annotations.NullMarked;
