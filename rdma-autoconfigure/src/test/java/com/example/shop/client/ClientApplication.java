package com.example.shop.client;

import com.example.shop.contract.Stock;
import io.rdmarpc.autoconfigure.client.ImportRdmaServices;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
@ImportRdmaServices(types = Stock.class)
public class ClientApplication {

    public static void main(String[] args) {
        SpringApplication.run(ClientApplication.class, args);
    }
}
