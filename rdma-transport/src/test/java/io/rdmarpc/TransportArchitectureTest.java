package io.rdmarpc;

import static com.tngtech.archunit.base.DescribedPredicate.doNot;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;

/** Which package may know which. */
@AnalyzeClasses(packages = "io.rdmarpc", importOptions = DoNotIncludeTests.class)
class TransportArchitectureTest {

    private static final String FFI = "io.rdmarpc..ffi..";

    @ArchTest
    static final ArchRule dependenciesPointDown = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .withOptionalLayers(true)
            .layer("remote memory")
            .definedBy("io.rdmarpc.remote..")
            .layer("runtime")
            .definedBy("io.rdmarpc.rpc.runtime..")
            .layer("async")
            .definedBy("io.rdmarpc.async..")
            .layer("control")
            .definedBy("io.rdmarpc.rpc.control..")
            .layer("engine")
            .definedBy("io.rdmarpc.rpc.engine..")
            .layer("transport")
            .definedBy("io.rdmarpc.transport..")
            .layer("memory")
            .definedBy("io.rdmarpc.memory..")
            .layer("verbs")
            .definedBy(
                    "io.rdmarpc.verbs",
                    "io.rdmarpc.verbs.attributes",
                    "io.rdmarpc.verbs.check",
                    "io.rdmarpc.verbs.connect",
                    "io.rdmarpc.verbs.error",
                    "io.rdmarpc.verbs.mr",
                    "io.rdmarpc.verbs.wr")
            .layer("between processes of one host")
            .definedBy("io.rdmarpc.verbs.ipc..")
            .layer("connection manager")
            .definedBy("io.rdmarpc.verbs.cm..")
            .layer("providers")
            .definedBy("io.rdmarpc.verbs.ffi..", "io.rdmarpc.verbs.ibverbs..", "io.rdmarpc.verbs.soft..")
            .layer("rpc contract")
            .definedBy(
                    "io.rdmarpc.rpc",
                    "io.rdmarpc.rpc.config..",
                    "io.rdmarpc.rpc.error..",
                    "io.rdmarpc.rpc.message..",
                    "io.rdmarpc.rpc.stats..")
            .layer("wire")
            .definedBy("io.rdmarpc.rpc.wire..")
            .layer("leaves")
            .definedBy("io.rdmarpc.concurrent..", "io.rdmarpc.events..")
            .whereLayer("remote memory")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("remote memory")
            .mayOnlyAccessLayers("runtime", "async", "rpc contract", "memory", "verbs", "leaves")
            .whereLayer("runtime")
            .mayOnlyBeAccessedByLayers("remote memory")
            .whereLayer("async")
            .mayOnlyBeAccessedByLayers("remote memory")
            .whereLayer("async")
            .mayOnlyAccessLayers("verbs", "leaves")
            .whereLayer("control")
            .mayOnlyBeAccessedByLayers("runtime")
            .whereLayer("engine")
            .mayOnlyBeAccessedByLayers("runtime", "control")
            .whereLayer("wire")
            .mayOnlyBeAccessedByLayers("control", "engine")
            .whereLayer("transport")
            .mayOnlyBeAccessedByLayers("runtime", "control", "engine", "wire")
            .whereLayer("memory")
            .mayOnlyBeAccessedByLayers("remote memory", "runtime", "control", "engine", "transport", "rpc contract")
            .whereLayer("verbs")
            .mayOnlyBeAccessedByLayers(
                    "remote memory",
                    "async",
                    "runtime",
                    "control",
                    "engine",
                    "wire",
                    "transport",
                    "memory",
                    "rpc contract",
                    "between processes of one host",
                    "connection manager",
                    "providers")
            .whereLayer("between processes of one host")
            .mayOnlyBeAccessedByLayers("transport", "memory", "providers")
            .whereLayer("connection manager")
            .mayOnlyBeAccessedByLayers("runtime", "control", "transport", "providers")
            .whereLayer("providers")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("rpc contract")
            .mayOnlyAccessLayers("memory", "verbs")
            .whereLayer("wire")
            .mayOnlyAccessLayers("rpc contract", "transport", "verbs")
            .whereLayer("leaves")
            .mayNotAccessAnyLayer()
            .because("each layer can then be read, tested and replaced knowing only those below it; providers are found"
                    + " through VerbsProvider, ConnectionManager and ServiceLoader, so that a third one needs no change"
                    + " here");

    @ArchTest
    static final ArchRule rpcDoesNotKnowOneSidedOperations = noClasses()
            .that()
            .resideInAPackage("io.rdmarpc.rpc..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.rdmarpc.async..", "io.rdmarpc.remote..")
            .allowEmptyShould(true)
            .because("one-sided operations and remote memory are a product of their own, which RPC works without");

    @ArchTest
    static final ArchRule asyncDoesNotKnowRpc = noClasses()
            .that()
            .resideInAPackage("io.rdmarpc.async..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.rdmarpc.rpc..", "io.rdmarpc.transport..", "io.rdmarpc.memory..")
            .allowEmptyShould(true)
            .because("programs that only read and write remote memory need verbs, and no engine");

    /**
     * Remote memory exchanges its messages over a stream of RPC. The users of RPC have all that this takes: the runtime exports a
     * service, a channel gives a session, a session opens a stream.
     */
    @ArchTest
    static final ArchRule remoteMemoryIsAUserOfRpc = noClasses()
            .that()
            .resideInAPackage("io.rdmarpc.remote..")
            .should()
            .dependOnClassesThat(resideInAnyPackage("io.rdmarpc.rpc..")
                    .and(not(resideInAnyPackage(
                            "io.rdmarpc.rpc",
                            "io.rdmarpc.rpc.error",
                            "io.rdmarpc.rpc.message",
                            "io.rdmarpc.rpc.runtime"))))
            .allowEmptyShould(true)
            .because(
                    "remote memory uses RPC as any other program does: engine, control and wire are none of its business");

    @ArchTest
    static final ArchRule onlyLinksUseStreams = noClasses()
            .that()
            .resideInAPackage("io.rdmarpc.remote..")
            .and()
            .resideOutsideOfPackages("io.rdmarpc.remote", "io.rdmarpc.remote.link")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.rdmarpc.rpc..")
            .allowEmptyShould(true)
            .because("leases, the owner's side and notifications are about memory, whatever carries the messages");

    @ArchTest
    static final ArchRule noCycles = slices().matching("io.rdmarpc.(**)")
            .should()
            .beFreeOfCycles()
            .because("packages that need each other can only be understood together");

    @ArchTest
    static final ArchRule providersAreStrangers = noClasses()
            .that()
            .resideInAPackage("io.rdmarpc.verbs.soft..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.rdmarpc.verbs.ibverbs..")
            .allowEmptyShould(true)
            .because("the software RNIC must work where there is no libibverbs, and without native access");

    @ArchTest
    static final ArchRule onlyFfiLooksUpNativeCode = noClasses()
            .that()
            .resideOutsideOfPackage(FFI)
            .should()
            .dependOnClassesThat(assignableTo(Linker.class).or(assignableTo(SymbolLookup.class)))
            .allowEmptyShould(true)
            .because("whoever checks this library for native calls should have to read the packages of that name");

    @ArchTest
    static final ArchRule onlyFfiMakesSegmentsFromAddresses = noClasses()
            .that()
            .resideOutsideOfPackage(FFI)
            .should()
            .accessTargetWhere(target(owner(assignableTo(MemorySegment.class))).and(target(name("reinterpret"))))
            .orShould()
            .accessTargetWhere(target(owner(assignableTo(AddressLayout.class))).and(target(name("withTargetLayout"))))
            .orShould()
            .accessTargetWhere(target(owner(assignableTo(System.class).or(assignableTo(Runtime.class))))
                    .and(target(nameMatching("load|loadLibrary"))))
            .allowEmptyShould(true)
            .because("a wrong size here is a JVM crash instead of an IndexOutOfBoundsException");

    @ArchTest
    static final ArchRule onlyTheJdk = noClasses()
            .should()
            .dependOnClassesThat(
                    doNot(resideInAnyPackage("java..", "javax..", "jdk..", "org.jspecify..", "io.rdmarpc..")))
            .allowEmptyShould(true)
            .because("verbs and engine are for every Java program: no Spring, no Kryo, no Micrometer, no logger");
}
