/** The verbs object model: devices, queue pairs, completion queues, and flyweights over the C structs. */
@NullMarked
package io.rdmarpc.verbs;

import org.jspecify.annotations.NullMarked;
