package io.rdmarpc;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaModifier.FINAL;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Set;

/** Dependencies between packages, and rules for auto-configurations. */
@AnalyzeClasses(
        packages = {"io.rdmarpc.service", "io.rdmarpc.autoconfigure"},
        importOptions = DoNotIncludeTests.class)
class AutoConfigureArchitectureTest {

    /**
     * Packages that the modules of rdma-annotations and rdma-transport export. The JVM does not enforce them on the
     * class path of a Boot jar.
     */
    private static final Set<String> TRANSPORT_API = Set.of(
            "io.rdmarpc.verbs",
            "io.rdmarpc.verbs.attributes",
            "io.rdmarpc.verbs.connect",
            "io.rdmarpc.verbs.error",
            "io.rdmarpc.verbs.mr",
            "io.rdmarpc.verbs.wr",
            "io.rdmarpc.annotation",
            "io.rdmarpc.memory",
            "io.rdmarpc.async",
            "io.rdmarpc.async.error",
            "io.rdmarpc.remote",
            "io.rdmarpc.remote.lease",
            "io.rdmarpc.transport",
            "io.rdmarpc.rpc",
            "io.rdmarpc.rpc.config",
            "io.rdmarpc.rpc.error",
            "io.rdmarpc.rpc.message",
            "io.rdmarpc.rpc.runtime",
            "io.rdmarpc.rpc.stats");

    private static final DescribedPredicate<JavaClass> INTERNALS_OF_TRANSPORT = describe(
            "internals of rdma-transport",
            type -> type.getPackageName().startsWith("io.rdmarpc.")
                    && !type.getPackageName().startsWith("io.rdmarpc.service")
                    && !type.getPackageName().startsWith("io.rdmarpc.autoconfigure")
                    && !TRANSPORT_API.contains(type.getPackageName()));

    @ArchTest
    static final ArchRule onlyTheTransportApi = noClasses()
            .should()
            .dependOnClassesThat(INTERNALS_OF_TRANSPORT)
            .allowEmptyShould(true)
            .because(
                    "a Boot jar runs on the class path, where module-info protects nothing; what is needed here belongs"
                            + " into an exported package first");

    @ArchTest
    static final ArchRule servicesDoNotSeeBoot = noClasses()
            .that()
            .resideInAPackage("io.rdmarpc.service..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework.boot..", "io.rdmarpc.autoconfigure..")
            .allowEmptyShould(true)
            .because("services work in a plain Spring application too, and may become a module of their own");

    @ArchTest
    static final ArchRule noCycles = slices().matching("io.rdmarpc.(**)")
            .should()
            .beFreeOfCycles()
            .because("packages that need each other can only be understood together");

    @ArchTest
    static final ArchRule autoConfigurationsArePublicAndFinal = classes()
            .that()
            .areAnnotatedWith("org.springframework.boot.autoconfigure.AutoConfiguration")
            .should()
            .bePublic()
            .andShould()
            .haveModifier(FINAL)
            .allowEmptyShould(true)
            .because("others name them in @AutoConfiguration(after = ...) and in exclusions, but never extend them");

    @ArchTest
    static final ArchRule beanMethodsAreNotPublic = methods()
            .that()
            .areAnnotatedWith("org.springframework.context.annotation.Bean")
            .should()
            .notBePublic()
            .allowEmptyShould(true)
            .because("beans are replaced by defining one, not by calling a factory method");
}
