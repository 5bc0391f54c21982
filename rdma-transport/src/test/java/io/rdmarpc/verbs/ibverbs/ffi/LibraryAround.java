package io.rdmarpc.verbs.ibverbs.ffi;

import java.io.IOException;
import java.nio.file.Path;

/**
 * libibverbs with some functions replaced by a library that is compiled at run time and calls the real one. It
 * simulates behavior that no available device has.
 */
public final class LibraryAround {

    private LibraryAround() {}

    /** Compiles and loads functions; all others are those of the real library. */
    public static LibIbverbs functions(Path directory, String source) throws IOException, InterruptedException {
        CCompiler compiler = new CCompiler(directory);
        compiler.requireHeader("infiniband/verbs.h");
        String headers = "#include <errno.h>\n#include <stdlib.h>\n#include <infiniband/verbs.h>\n";
        return LibIbverbs.load(compiler.library(headers + source, "-Wl,--no-as-needed", "-libverbs")
                .toString());
    }
}
