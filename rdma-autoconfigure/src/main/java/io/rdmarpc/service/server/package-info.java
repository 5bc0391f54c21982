/** The registry of exported services and the dispatch of calls to beans. */
@NullMarked
package io.rdmarpc.service.server;

import org.jspecify.annotations.NullMarked;
