/** One thread's data path: the event loop, one class per protocol phase, sessions and slots. */
@NullMarked
package io.rdmarpc.rpc.engine;

import org.jspecify.annotations.NullMarked;
