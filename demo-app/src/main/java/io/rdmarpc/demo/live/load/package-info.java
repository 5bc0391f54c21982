/** The load of the page: settings, callers, and what a lane of callers has measured. */
@NullMarked
package io.rdmarpc.demo.live.load;

import org.jspecify.annotations.NullMarked;
