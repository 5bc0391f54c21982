/** Failed calls at the HTTP edge of an application. */
@NullMarked
package io.rdmarpc.service.web;

import org.jspecify.annotations.NullMarked;
