package io.rdmarpc.integration.app;

import java.io.File;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Loads an application as devtools do, again and again: its classes by a loader of their own, libraries by the one above. Says
 * how many of the loaders cannot be collected after their contexts were closed. To be run with soft references that go at
 * once, which Spring's own caches are full of.
 *
 * <p>The first and the last loader do not count: Boot keeps them. Its shutdown hook has the logging system of the first
 * application, and its shared converters have editors of it; the logger context has the environment of the last.
 */
public final class RestartProcess {

    private static final int ROUNDS = 4;

    private RestartProcess() {}

    /** Loads the application's own classes, though the loader above has them too. */
    private static final class RestartLoader extends URLClassLoader {

        RestartLoader(URL[] classes) {
            super("restart", classes, RestartProcess.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.rdmarpc.integration.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known != null ? known : findClass(name);
            }
        }
    }

    /** The first argument is the application, which has a static method without arguments. */
    public static void main(String[] args) throws Exception {
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            loaders.add(load(args[0]));
        }
        List<WeakReference<ClassLoader>> counted = loaders.subList(1, ROUNDS - 1);
        System.out.println("kept " + awaitCollected(counted) + " of " + counted.size());
        // What a library of others keeps running does not keep this process.
        System.exit(0);
    }

    private static WeakReference<ClassLoader> load(String application) throws Exception {
        Thread current = Thread.currentThread();
        ClassLoader before = current.getContextClassLoader();
        try (RestartLoader loader = new RestartLoader(classes())) {
            current.setContextClassLoader(loader);
            loader.loadClass(application).getMethod("run").invoke(null);
            return new WeakReference<>(loader);
        } finally {
            current.setContextClassLoader(before);
        }
    }

    private static URL[] classes() throws MalformedURLException {
        List<URL> folders = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (entry.endsWith("test-classes")) {
                folders.add(Path.of(entry).toUri().toURL());
            }
        }
        return folders.toArray(URL[]::new);
    }

    private static long awaitCollected(List<WeakReference<ClassLoader>> loaders) throws InterruptedException {
        long kept = loaders.size();
        for (int attempt = 0; attempt < 50 && kept > 0; attempt++) {
            System.gc();
            Thread.sleep(100);
            kept = loaders.stream().filter(loader -> loader.get() != null).count();
        }
        return kept;
    }
}
