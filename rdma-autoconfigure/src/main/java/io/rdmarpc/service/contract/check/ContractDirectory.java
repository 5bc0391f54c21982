package io.rdmarpc.service.contract.check;

import io.rdmarpc.rpc.ServiceContract;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The directory with the stored contracts, one file for each service. */
final class ContractDirectory {

    static final String EXTENSION = ".contract";

    private final Path directory;

    ContractDirectory(Path directory) {
        this.directory = directory;
    }

    /** Returns the file of a service. Characters that a file name should not have become underscores. */
    Path fileOf(String service) {
        return directory.resolve(service.replaceAll("[^A-Za-z0-9._$-]", "_") + EXTENSION);
    }

    /** Returns the stored contracts by service; empty if the directory does not exist. */
    SortedMap<String, ServiceContract> read() {
        SortedMap<String, ServiceContract> contracts = new TreeMap<>();
        for (Path file : files()) {
            ServiceContract contract = read(file);
            if (!fileOf(contract.name()).equals(file)) {
                throw new RdmaContractFileException(
                        file + " has the contract of " + contract.name() + ", which belongs into "
                                + fileOf(contract.name()) + ": rename the file",
                        null);
            }
            contracts.put(contract.name(), contract);
        }
        return contracts;
    }

    private List<Path> files() {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(EXTENSION))
                    .sorted()
                    .toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw new RdmaContractFileException("the directory " + directory + " cannot be read: " + e, e);
        }
    }

    private static ServiceContract read(Path file) {
        try {
            return ContractFile.read(Files.readString(file));
        } catch (CharacterCodingException | IllegalArgumentException e) {
            throw new RdmaContractFileException(
                    file + " is not a stored contract: " + e.getMessage()
                            + ". Restore the committed file, or delete it and approve the contract again",
                    e);
        } catch (IOException e) {
            throw new RdmaContractFileException(file + " cannot be read: " + e, e);
        }
    }

    /** Replaces the stored contracts: writes those that have changed, and deletes those of other services. */
    void write(Collection<ServiceContract> contracts) {
        try {
            Files.createDirectories(directory);
            for (Path file : files()) {
                if (contracts.stream()
                        .noneMatch(contract -> fileOf(contract.name()).equals(file))) {
                    Files.delete(file);
                }
            }
            for (ServiceContract contract : contracts) {
                Files.writeString(fileOf(contract.name()), ContractFile.write(contract));
            }
        } catch (IOException e) {
            throw new RdmaContractFileException("the contracts cannot be written to " + directory + ": " + e, e);
        }
    }

    @Override
    public String toString() {
        return directory.toString();
    }
}
