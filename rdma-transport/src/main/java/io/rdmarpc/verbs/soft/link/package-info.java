/** The transport of a software RNIC's packets: its interfaces, UDP, and a link that dumps all packets. */
@NullMarked
package io.rdmarpc.verbs.soft.link;

import org.jspecify.annotations.NullMarked;
