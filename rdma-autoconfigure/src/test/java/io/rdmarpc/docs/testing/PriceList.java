package io.rdmarpc.docs.testing;

import org.springframework.stereotype.Component;

/** What the service needs and a slice has not. */
@Component
class PriceList {

    long of(String article) {
        return article.length();
    }
}
