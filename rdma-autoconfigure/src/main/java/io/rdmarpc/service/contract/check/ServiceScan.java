package io.rdmarpc.service.contract.check;

import io.rdmarpc.annotation.RdmaService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.type.ClassMetadata;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;

/** Finds the service interfaces in a directory of class files, and loads no other class. */
final class ServiceScan {

    private ServiceScan() {}

    /** Returns the names of the interfaces, sorted; empty if the directory does not exist. */
    static List<String> servicesIn(Path classes, ClassLoader loader) {
        if (!Files.isDirectory(classes)) {
            return List.of();
        }
        MetadataReaderFactory readers = new SimpleMetadataReaderFactory(loader);
        List<String> services = new ArrayList<>();
        try (Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(ServiceScan::isClass).toList()) {
                MetadataReader reader = readers.getMetadataReader(new FileSystemResource(file));
                ClassMetadata type = reader.getClassMetadata();
                if (type.isInterface() && reader.getAnnotationMetadata().hasAnnotation(RdmaService.class.getName())) {
                    services.add(type.getClassName());
                }
            }
        } catch (IOException e) {
            throw new RdmaContractFileException("the classes in " + classes + " cannot be read: " + e, e);
        }
        return services.stream().sorted().toList();
    }

    private static boolean isClass(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".class") && !name.equals("module-info.class");
    }
}
