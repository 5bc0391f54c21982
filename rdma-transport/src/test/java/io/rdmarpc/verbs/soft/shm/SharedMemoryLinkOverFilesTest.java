package io.rdmarpc.verbs.soft.shm;

/** What every link does, through rings in files as without native access. */
class SharedMemoryLinkOverFilesTest extends SharedMemoryLinkTest {

    @Override
    boolean passesMemory() {
        return false;
    }
}
