package io.rdmarpc.demo.live.side;

import io.rdmarpc.demo.DemoApplication;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** An application with nothing but the starter's clients: one that can be stopped and started while the page stays up. */
@EnableAutoConfiguration
@AutoConfigurationPackage(basePackageClasses = DemoApplication.class)
class RdmaWorker {}
