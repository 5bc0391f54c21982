package io.rdmarpc.slice;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application that finds its components. */
@SpringBootApplication
public class SliceApplication {}
