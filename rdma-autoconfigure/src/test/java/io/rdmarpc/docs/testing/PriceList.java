package io.rdmarpc.docs.testing;

import org.springframework.stereotype.Component;

/** A dependency of the service that a slice does not include. */
@Component
class PriceList {

    long of(String article) {
        return article.length();
    }
}
