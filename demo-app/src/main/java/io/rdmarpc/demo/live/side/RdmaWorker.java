package io.rdmarpc.demo.live.side;

import io.rdmarpc.demo.DemoApplication;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/**
 * An application with only the starter's clients. The page can stop and start it, while the page itself keeps running.
 */
@EnableAutoConfiguration
@AutoConfigurationPackage(basePackageClasses = DemoApplication.class)
class RdmaWorker {}
