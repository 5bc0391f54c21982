/**
 * Internal: elements of streamed arguments and results. The classes are public only for the client and server packages.
 */
@NullMarked
package io.rdmarpc.service.stream;

import org.jspecify.annotations.NullMarked;
