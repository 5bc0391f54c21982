/** System calls of Linux that the software RNIC uses with native access: one small class for each subject. */
@NullMarked
package io.rdmarpc.verbs.soft.ffi;

import org.jspecify.annotations.NullMarked;
