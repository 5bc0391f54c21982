package io.rdmarpc.maven;

import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.ResolutionScope;

/**
 * Compares the services of this module with their stored contracts, and fails the build if a change breaks processes of
 * another release.
 */
@Mojo(
        name = "check-contract",
        defaultPhase = LifecyclePhase.PROCESS_CLASSES,
        requiresDependencyResolution = ResolutionScope.COMPILE,
        threadSafe = true)
public class CheckContractMojo extends ContractMojo {

    /** Creates the goal. */
    public CheckContractMojo() {}

    @Override
    public void execute() throws MojoExecutionException, MojoFailureException {
        run("check");
    }
}
