/**
 * The annotations of a service contract. A module that contains only contracts needs no other artifact of this project,
 * unless a method carries a type of the transport, such as a token of remote memory.
 */
@NullMarked
package io.rdmarpc.annotation;

import org.jspecify.annotations.NullMarked;
