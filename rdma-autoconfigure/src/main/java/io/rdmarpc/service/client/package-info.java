/** Client proxies. Everything that is constant for a method is computed once, so that calls do little work. */
@NullMarked
package io.rdmarpc.service.client;

import org.jspecify.annotations.NullMarked;
