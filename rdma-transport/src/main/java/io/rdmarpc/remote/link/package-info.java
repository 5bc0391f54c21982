/** Links between two remote memories: requests and responses over a stream, and connections for operations. */
@NullMarked
package io.rdmarpc.remote.link;

import org.jspecify.annotations.NullMarked;
