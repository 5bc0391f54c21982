/** The command line, which lists devices and finds problems that prevent RDMA from working. */
@NullMarked
package io.rdmarpc.cli;

import org.jspecify.annotations.NullMarked;
