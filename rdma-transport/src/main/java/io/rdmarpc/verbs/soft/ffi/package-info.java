/** System calls of Linux that the software RNIC makes when it may: one small class for each subject. */
@NullMarked
package io.rdmarpc.verbs.soft.ffi;

import org.jspecify.annotations.NullMarked;
