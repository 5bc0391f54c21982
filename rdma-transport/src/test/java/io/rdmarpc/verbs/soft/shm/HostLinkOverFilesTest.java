package io.rdmarpc.verbs.soft.shm;

/** Two links in one process that cannot pass memory to each other, as without native access. */
class HostLinkOverFilesTest extends HostLinkTest {

    @Override
    boolean passesMemory() {
        return false;
    }
}
