package io.rdmarpc.maven;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import javax.inject.Inject;
import org.apache.maven.artifact.Artifact;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.project.MavenProject;
import org.apache.maven.toolchain.ToolchainManager;
import org.jspecify.annotations.Nullable;

/** The parameters of both goals, and the process that compares or stores the contracts. */
abstract class ContractMojo extends AbstractMojo {

    // Maven sets the fields after the constructor.

    /** The directory with one file for each service. Commit it. */
    @Parameter(property = "rdma.contracts.directory", defaultValue = "${project.basedir}/src/contracts")
    private @Nullable File directory;

    /**
     * The order in which processes are upgraded: servers-first, clients-first or any. The goal accepts a change that breaks
     * no process in this order.
     */
    @Parameter(property = "rdma.contracts.order", defaultValue = "servers-first")
    private String order = "servers-first";

    /** The format of messages, as rdma.serialization.format: kryo or json. */
    @Parameter(property = "rdma.contracts.format", defaultValue = "kryo")
    private String format = "kryo";

    /** Permitted differences between two releases, as rdma.serialization.evolution: none or compatible. */
    @Parameter(property = "rdma.contracts.evolution", defaultValue = "none")
    private String evolution = "none";

    /** The names of the service interfaces. By default, all interfaces with @RdmaService that this module compiles. */
    @Parameter(property = "rdma.contracts.services")
    private List<String> services = List.of();

    /** Whether the goal does nothing. */
    @Parameter(property = "rdma.contracts.skip", defaultValue = "false")
    private boolean skip;

    @Parameter(defaultValue = "${project}", readonly = true, required = true)
    private @Nullable MavenProject project;

    @Parameter(defaultValue = "${plugin.artifacts}", readonly = true, required = true)
    private List<Artifact> pluginArtifacts = List.of();

    @Parameter(defaultValue = "${session}", readonly = true, required = true)
    private @Nullable MavenSession session;

    @Inject
    private @Nullable ToolchainManager toolchains;

    final void run(String goal) throws MojoExecutionException, MojoFailureException {
        MavenProject module = required(project);
        if (skip || module.getPackaging().equals("pom")) {
            getLog().info("Contracts are not compared: " + (skip ? "skipped" : "this module has no classes"));
            return;
        }
        Path classes = Path.of(module.getBuild().getOutputDirectory());
        ContractProcess process =
                new ContractProcess(CheckJdk.java(required(toolchains), required(session)), classPath(module, classes));
        ContractProcess.Result result;
        try {
            result = process.run(Path.of(module.getBuild().getDirectory()), settings(goal, classes));
        } catch (IOException e) {
            throw new MojoExecutionException("The contracts were not compared: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MojoExecutionException("The contracts were not compared: this build was interrupted", e);
        }
        report(result);
    }

    private Properties settings(String goal, Path classes) {
        Properties settings = new Properties();
        settings.setProperty("goal", goal);
        settings.setProperty("directory", required(directory).getPath());
        settings.setProperty("classes", classes.toString());
        settings.setProperty("services", String.join(",", services));
        settings.setProperty("order", order);
        settings.setProperty("format", format);
        settings.setProperty("evolution", evolution);
        return settings;
    }

    private List<String> classPath(MavenProject module, Path classes) {
        return ClassPaths.of(classes, module.getArtifacts(), pluginArtifacts);
    }

    private void report(ContractProcess.Result result) throws MojoExecutionException, MojoFailureException {
        switch (result.exit()) {
            case ContractProcess.ACCEPTED -> result.lines().forEach(getLog()::info);
            case ContractProcess.REJECTED ->
                throw new MojoFailureException("The stored contracts in " + directory
                        + " do not allow this code:\n"
                        + String.join("\n", result.lines())
                        + "\nTo approve the current contracts, run \"mvn rdma-rpc:approve-contract\", and commit the changed"
                        + " files.");
            default -> throw new MojoExecutionException(ContractProcess.describe(result));
        }
    }

    private static <T> T required(@Nullable T injected) {
        if (injected == null) {
            throw new IllegalStateException("Maven has not set a parameter");
        }
        return injected;
    }
}
