/** Attributes of devices, ports, queue pairs and addresses: the structs that are queried and modified. */
@NullMarked
package io.rdmarpc.verbs.attributes;

import org.jspecify.annotations.NullMarked;
