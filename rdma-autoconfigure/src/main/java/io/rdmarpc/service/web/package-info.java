/** Converts failed calls into HTTP responses. */
@NullMarked
package io.rdmarpc.service.web;

import org.jspecify.annotations.NullMarked;
