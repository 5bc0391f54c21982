/**
 * READs and WRITEs of large memory between processes of one host: the peer grants access to pages, and this process
 * copies the data once.
 */
@NullMarked
package io.rdmarpc.verbs.soft.samehost;

import org.jspecify.annotations.NullMarked;
