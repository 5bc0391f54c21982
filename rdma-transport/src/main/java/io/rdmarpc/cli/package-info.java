/** The command line: what devices there are, and what keeps RDMA from working here. */
@NullMarked
package io.rdmarpc.cli;

import org.jspecify.annotations.NullMarked;
