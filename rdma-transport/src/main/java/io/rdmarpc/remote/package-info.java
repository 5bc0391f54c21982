/**
 * Memory of another process, used without its processors: leased regions, grants, reads, writes and atomics over
 * reliable connections.
 */
@NullMarked
package io.rdmarpc.remote;

import org.jspecify.annotations.NullMarked;
