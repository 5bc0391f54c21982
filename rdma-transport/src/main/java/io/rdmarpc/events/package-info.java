/**
 * Events of the JDK Flight Recorder. Each class has the fields of one event and the methods that record it. The classes
 * depend on no other class of this project, and other packages pass them strings and numbers. While no recording has enabled an event,
 * it is not begun and its values are not computed.
 *
 * <p>The package is not exported: programs that read recordings find events and fields by name.
 */
@NullMarked
package io.rdmarpc.events;

import org.jspecify.annotations.NullMarked;
