/** Connects two queue pairs whose endpoints were exchanged, and drains a queue pair. */
@NullMarked
package io.rdmarpc.verbs.connect;

import org.jspecify.annotations.NullMarked;
