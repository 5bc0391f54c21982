/** Connecting two queue pairs whose endpoints were exchanged, and draining one. */
@NullMarked
package io.rdmarpc.verbs.connect;

import org.jspecify.annotations.NullMarked;
