package io.rdmarpc.service.codec;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles one version of some classes for a separate class loader. */
final class Sources {

    private Sources() {}

    private static final class Source extends SimpleJavaFileObject {

        private final String text;

        Source(String text) {
            super(URI.create("string:///Versions.java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class Target extends SimpleJavaFileObject {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Target(String name) {
            super(URI.create("bytes:///" + name), Kind.CLASS);
        }

        @Override
        public OutputStream openOutputStream() {
            return bytes;
        }
    }

    private static final class Loader extends ClassLoader {

        private final Map<String, Target> classes;

        Loader(Map<String, Target> classes) {
            super(Sources.class.getClassLoader());
            this.classes = classes;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            Target target = classes.get(name);
            if (target == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = target.bytes.toByteArray();
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    /** Compiles the types of a file in package {@code versions}, all of them package-private or nested. */
    static ClassLoader compile(String types) {
        String text = "package versions;\nimport java.util.*;\nimport io.rdmarpc.annotation.RdmaService;\n" + types;
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        Map<String, Target> classes = new HashMap<>();
        JavaFileManager files =
                new ForwardingJavaFileManager<JavaFileManager>(compiler.getStandardFileManager(null, null, null)) {
                    @Override
                    public JavaFileObject getJavaFileForOutput(
                            Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
                        return classes.computeIfAbsent(name, Target::new);
                    }
                };
        StringWriter messages = new StringWriter();
        boolean compiled = compiler.getTask(
                        messages,
                        files,
                        null,
                        List.of("-proc:none", "-cp", System.getProperty("java.class.path")),
                        null,
                        List.of(new Source(text)))
                .call();
        if (!compiled) {
            throw new IllegalStateException(messages.toString());
        }
        return new Loader(classes);
    }

    static Class<?> load(ClassLoader loader, String name) {
        try {
            return Class.forName("versions." + name, true, loader);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Calls the only constructor. */
    static Object make(ClassLoader loader, String name, Object... args) {
        try {
            var constructor = load(loader, name).getDeclaredConstructors()[0];
            constructor.setAccessible(true);
            return constructor.newInstance(args);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static Object constant(ClassLoader loader, String type, String name) {
        return Stream.of(load(loader, type).getEnumConstants())
                .filter(each -> ((Enum<?>) each).name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
