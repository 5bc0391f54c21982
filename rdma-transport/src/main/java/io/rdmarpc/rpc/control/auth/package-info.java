/** Proofs that both ends of a control connection know the shared token. */
@NullMarked
package io.rdmarpc.rpc.control.auth;

import org.jspecify.annotations.NullMarked;
