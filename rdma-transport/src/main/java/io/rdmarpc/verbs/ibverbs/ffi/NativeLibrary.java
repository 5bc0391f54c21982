package io.rdmarpc.verbs.ibverbs.ffi;

import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A shared library that stays loaded until the JVM ends. */
public final class NativeLibrary {

    private final String file;
    private final int release;
    private final SymbolLookup symbols;

    private NativeLibrary(String file, int release, SymbolLookup symbols) {
        this.file = file;
        this.release = release;
        this.symbols = symbols;
    }

    /**
     * Loads a library. If that fails, the exception states the remedy.
     *
     * @param file the name or path of the library
     * @param packages the Debian packages that contain it
     * @param release the first rdma-core release with all symbols that are not optional
     */
    public static NativeLibrary open(String file, String packages, int release) {
        if (!System.getProperty("os.name", "").equals("Linux") || !CStruct.fitsThisMachine()) {
            throw failure(file, "RDMA NICs require 64-bit Linux: use rdma.provider=soft", null);
        }
        try {
            return new NativeLibrary(file, release, load(file));
        } catch (IllegalCallerException e) {
            throw failure(
                    file,
                    "Java may not call native code: start it with --enable-native-access=" + ownName()
                            + ", or use rdma.provider=soft",
                    e);
        } catch (IllegalArgumentException e) {
            throw failure(
                    file,
                    file + " is not installed: on Debian apt install " + packages + "; or use rdma.provider=soft",
                    e);
        }
    }

    @SuppressWarnings("restricted") // Loading runs the library's initializers, which a NIC requires.
    private static SymbolLookup load(String file) {
        return SymbolLookup.libraryLookup(file, Arena.global());
    }

    public MemorySegment symbol(String name) {
        return optionalSymbol(name)
                .orElseThrow(() -> failure(
                        file,
                        "it has no " + name + ": rdma-core " + release
                                + " or newer is required; or use rdma.provider=soft",
                        null));
    }

    Optional<MemorySegment> optionalSymbol(String name) {
        return symbols.find(name);
    }

    private static String ownName() {
        Module own = NativeLibrary.class.getModule();
        return own.isNamed() ? own.getName() : "ALL-UNNAMED";
    }

    private static RdmaVerbsException failure(String file, String explanation, @Nullable Throwable cause) {
        RdmaVerbsException failure = new RdmaVerbsException("loading " + file, "", 0, explanation);
        if (cause != null) {
            failure.initCause(cause);
        }
        return failure;
    }
}
