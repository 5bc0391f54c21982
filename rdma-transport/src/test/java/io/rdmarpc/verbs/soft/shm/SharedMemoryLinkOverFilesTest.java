package io.rdmarpc.verbs.soft.shm;

/** The contract of every link, with rings in files as without native access. */
class SharedMemoryLinkOverFilesTest extends SharedMemoryLinkTest {

    @Override
    boolean passesMemory() {
        return false;
    }
}
