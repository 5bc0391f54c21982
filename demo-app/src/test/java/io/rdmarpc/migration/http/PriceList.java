package io.rdmarpc.migration.http;

import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.RdmaAdvice;
import io.rdmarpc.service.RdmaExceptionHandler;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

@RestController
class PriceList implements Prices {

    private final Map<String, Price> prices = new ConcurrentHashMap<>();

    @Override
    public Price price(String article) {
        Price price = prices.get(article);
        if (price == null) {
            throw new NoSuchElementException("there is no price of " + article);
        }
        return price;
    }

    @Override
    public void change(Price price) {
        prices.put(price.article(), price);
    }

    @RdmaAdvice
    @RestControllerAdvice
    static class Failures {

        @ResponseStatus(HttpStatus.NOT_FOUND)
        @ExceptionHandler
        @RdmaExceptionHandler
        RpcStatus missing(NoSuchElementException e) {
            return RpcStatus.NOT_FOUND;
        }
    }
}
