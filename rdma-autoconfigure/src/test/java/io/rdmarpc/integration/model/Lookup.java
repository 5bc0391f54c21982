package io.rdmarpc.integration.model;

/** Generic, and inherited by a service. */
public interface Lookup<K, V> {

    V lookUp(K key);

    V lookUp(K key, V otherwise);

    default V lookUpTwice(K key) {
        return lookUp(key, lookUp(key));
    }
}
