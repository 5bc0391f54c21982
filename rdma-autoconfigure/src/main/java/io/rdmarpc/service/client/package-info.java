/** Client proxies: everything about a method is decided once, little is left for each call. */
@NullMarked
package io.rdmarpc.service.client;

import org.jspecify.annotations.NullMarked;
