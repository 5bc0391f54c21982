package io.rdmarpc.docs.testing;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application that docs/how-to/test-services.md tests. */
@SpringBootApplication
class CheckoutApplication {}
