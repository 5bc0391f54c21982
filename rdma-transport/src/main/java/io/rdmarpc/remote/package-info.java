/**
 * Access to the memory of other processes without using their processors: leased regions and grants, with READs, WRITEs
 * and atomics over reliable connections.
 */
@NullMarked
package io.rdmarpc.remote;

import org.jspecify.annotations.NullMarked;
