package io.rdmarpc.maven;

import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Execute;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.ResolutionScope;

/**
 * Compiles this module and stores the contracts of its services. Deletes the stored contracts of services that it no longer
 * has.
 */
@Mojo(name = "approve-contract", requiresDependencyResolution = ResolutionScope.COMPILE, threadSafe = true)
@Execute(phase = LifecyclePhase.COMPILE)
public class ApproveContractMojo extends ContractMojo {

    /** Creates the goal. */
    public ApproveContractMojo() {}

    @Override
    public void execute() throws MojoExecutionException, MojoFailureException {
        run("approve");
    }
}
