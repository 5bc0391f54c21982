/** The load behind the page: settings, callers, and the measurements of a lane of callers. */
@NullMarked
package io.rdmarpc.demo.live.load;

import org.jspecify.annotations.NullMarked;
