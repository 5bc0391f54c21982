/** What the software RNIC's queue pairs of all transport services have in common: states, work requests, receives, and the table of their numbers. */
@NullMarked
package io.rdmarpc.verbs.soft.qp;

import org.jspecify.annotations.NullMarked;
