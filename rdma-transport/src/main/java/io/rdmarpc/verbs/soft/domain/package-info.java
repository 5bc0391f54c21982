/** The objects of a protection domain of the software RNIC: memory regions and their keys, address handles. */
@NullMarked
package io.rdmarpc.verbs.soft.domain;

import org.jspecify.annotations.NullMarked;
