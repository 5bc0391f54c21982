/**
 * The port of the software device: its addresses as GIDs, its state, and the routes that address vectors resolve to.
 */
@NullMarked
package io.rdmarpc.verbs.soft.port;

import org.jspecify.annotations.NullMarked;
