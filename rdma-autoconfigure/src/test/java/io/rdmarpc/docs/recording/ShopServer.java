package io.rdmarpc.docs.recording;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;

/** The server of docs/how-to/record-with-jfr.md. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
public class ShopServer {

    @Bean
    PriceList priceList() {
        return new PriceList();
    }

    @Bean
    Checkout checkout() {
        return article -> "placed " + article;
    }
}
