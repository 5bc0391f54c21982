package io.rdmarpc.migration.http;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import java.math.BigDecimal;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PutExchange;

@RdmaService
@HttpExchange("/prices")
public interface Prices {

    @RdmaMethod(idempotent = true)
    @GetExchange("/{article}")
    Price price(@PathVariable("article") String article);

    @PutExchange
    void change(@RequestBody Price price);

    record Price(String article, BigDecimal amount) {}
}
