/** The annotations of a service contract, usable without Spring. */
@NullMarked
package io.rdmarpc.annotation;

import org.jspecify.annotations.NullMarked;
