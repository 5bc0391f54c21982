/**
 * Internal: elements of streamed arguments and results. Its classes are public for the client and the server package only.
 */
@NullMarked
package io.rdmarpc.service.stream;

import org.jspecify.annotations.NullMarked;
