/**
 * System calls of Linux that the software RNIC uses with native access. Each class has the calls for one kind of
 * object.
 */
@NullMarked
package io.rdmarpc.verbs.soft.ffi;

import org.jspecify.annotations.NullMarked;
