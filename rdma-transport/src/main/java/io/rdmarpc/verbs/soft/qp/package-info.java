/**
 * The common part of the software RNIC's queue pairs of all transport services: states, work requests, receives, and
 * the table of their numbers.
 */
@NullMarked
package io.rdmarpc.verbs.soft.qp;

import org.jspecify.annotations.NullMarked;
