package io.rdmarpc.maven;

import java.nio.file.Path;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.toolchain.Toolchain;
import org.apache.maven.toolchain.ToolchainManager;

/** Finds the JVM that loads the classes of a module: that of the build's toolchain, otherwise Maven's own. */
final class CheckJdk {

    private CheckJdk() {}

    static String java(ToolchainManager toolchains, MavenSession session) {
        Toolchain toolchain = toolchains.getToolchainFromBuildContext("jdk", session);
        String tool = toolchain == null ? null : toolchain.findTool("java");
        return tool != null
                ? tool
                : Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }
}
