package com.example.application;

import com.example.contract.Stock;
import org.springframework.stereotype.Component;

@Component
class Warehouse implements Stock {

    @Override
    public Level level(String item) {
        return new Level(item, item.length());
    }
}
