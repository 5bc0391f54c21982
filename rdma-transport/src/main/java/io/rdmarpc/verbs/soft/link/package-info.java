/** What carries a software RNIC's packets: UDP, and a link that fails on demand. */
@NullMarked
package io.rdmarpc.verbs.soft.link;

import org.jspecify.annotations.NullMarked;
