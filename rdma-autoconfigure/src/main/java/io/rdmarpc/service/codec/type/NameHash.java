package io.rdmarpc.service.codec.type;

/** Hash of a name, equal in every process: 32-bit FNV-1a over its chars. */
final class NameHash {

    private NameHash() {}

    static int of(String name) {
        int hash = 0x811C9DC5;
        for (int i = 0; i < name.length(); i++) {
            hash = (hash ^ name.charAt(i)) * 0x01000193;
        }
        // Mixes the upper bits into the lower ones, because callers use only those.
        return hash ^ (hash >>> 16);
    }
}
