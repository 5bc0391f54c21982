package com.example.application;

import com.example.contract.Stock;
import io.rdmarpc.autoconfigure.client.ImportRdmaServices;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
@ImportRdmaServices(types = Stock.class)
class Shop {

    public static void main(String[] arguments) {
        SpringApplication.run(Shop.class, arguments);
    }
}
