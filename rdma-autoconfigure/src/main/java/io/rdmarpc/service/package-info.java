/** Services as interfaces: their description, what callers catch beyond the engine's exceptions, and who hears of calls. */
@NullMarked
package io.rdmarpc.service;

import org.jspecify.annotations.NullMarked;
