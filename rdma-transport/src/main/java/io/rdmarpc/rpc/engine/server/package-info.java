/** Calls that an engine serves: methods, requests, responses, retained responses. */
@NullMarked
package io.rdmarpc.rpc.engine.server;

import org.jspecify.annotations.NullMarked;
