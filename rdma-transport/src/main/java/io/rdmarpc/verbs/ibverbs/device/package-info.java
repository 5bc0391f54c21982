/** What all objects of one open device of libibverbs share: its life, its children, and its asynchronous events. */
@NullMarked
package io.rdmarpc.verbs.ibverbs.device;

import org.jspecify.annotations.NullMarked;
