/** The port of the software device: its addresses as GIDs, its state, and where address vectors lead. */
@NullMarked
package io.rdmarpc.verbs.soft.port;

import org.jspecify.annotations.NullMarked;
