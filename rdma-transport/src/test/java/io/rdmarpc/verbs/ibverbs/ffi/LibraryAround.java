package io.rdmarpc.verbs.ibverbs.ffi;

import java.io.IOException;
import java.nio.file.Path;

/**
 * libibverbs with some functions replaced: a library compiled on the spot, which has the real one below it. Shows what no
 * device here does.
 */
public final class LibraryAround {

    private LibraryAround() {}

    /** Compiles functions and loads them; those that are not among them are the real library's. */
    public static LibIbverbs functions(Path directory, String source) throws IOException, InterruptedException {
        CCompiler compiler = new CCompiler(directory);
        compiler.requireHeader("infiniband/verbs.h");
        String headers = "#include <errno.h>\n#include <stdlib.h>\n#include <infiniband/verbs.h>\n";
        return LibIbverbs.load(compiler.library(headers + source, "-Wl,--no-as-needed", "-libverbs")
                .toString());
    }
}
