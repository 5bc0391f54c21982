/** The common parts of all objects of an open libibverbs device: lifetime, children, and asynchronous events. */
@NullMarked
package io.rdmarpc.verbs.ibverbs.device;

import org.jspecify.annotations.NullMarked;
