package io.rdmarpc.docs.spring;

import io.rdmarpc.autoconfigure.client.ImportRdmaServices;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@ImportRdmaServices(types = Warehouse.class, target = "north")
@ImportRdmaServices(types = Warehouse.class, target = "south")
class WarehouseClients {}
