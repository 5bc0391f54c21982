package io.rdmarpc.docs.testing;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application that docs/testing.md tests. */
@SpringBootApplication
class CheckoutApplication {}
