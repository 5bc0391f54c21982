package io.rdmarpc.verbs.soft.shm;

/** What two links in one process do when they cannot pass memory to each other, as without native access. */
class HostLinkOverFilesTest extends HostLinkTest {

    @Override
    boolean passesMemory() {
        return false;
    }
}
