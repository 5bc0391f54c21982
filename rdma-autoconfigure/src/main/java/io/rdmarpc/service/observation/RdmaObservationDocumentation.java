package io.rdmarpc.service.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** Observations of calls, with the attributes of their default conventions. */
public enum RdmaObservationDocumentation implements ObservationDocumentation {
    /** A call of this process. */
    CLIENT {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DefaultRdmaClientObservationConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return KeyName.merge(CallKey.values(), ClientKey.values());
        }
    },
    /** A call that this process serves. */
    SERVER {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DefaultRdmaServerObservationConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return CallKey.values();
        }
    };

    @Override
    public KeyName[] getHighCardinalityKeyNames() {
        return PeerKey.values();
    }

    /** Attributes of both sides, for timers and spans. */
    public enum CallKey implements KeyName {
        /** Always {@code rdmarpc}. */
        SYSTEM("rpc.system.name", true),
        /** Names of the service and the method, {@code service/method}. */
        METHOD("rpc.method", true),
        /** Name of the status, once the call has ended. */
        STATUS("rpc.status_code", false),
        /** Name of the status of a call that failed. */
        ERROR("error.type", false);

        private final String key;
        private final boolean required;

        CallKey(String key, boolean required) {
            this.key = key;
            this.required = required;
        }

        @Override
        public String asString() {
            return key;
        }

        @Override
        public boolean isRequired() {
            return required;
        }
    }

    /** Attributes of the calling side, for timers and spans. */
    public enum ClientKey implements KeyName {
        /** The target's name in the configuration. */
        TARGET("rdma.target", true),
        /** Host of the configured address, or the whole address if it names several servers or a registry. */
        SERVER_ADDRESS("server.address", true),
        /** Port of the configured address, if it is a single one. */
        SERVER_PORT("server.port", false);

        private final String key;
        private final boolean required;

        ClientKey(String key, boolean required) {
            this.key = key;
            this.required = required;
        }

        @Override
        public String asString() {
            return key;
        }

        @Override
        public boolean isRequired() {
            return required;
        }
    }

    /** Attributes of both sides, for spans only. */
    public enum PeerKey implements KeyName {
        /** IP address of the peer's control connection. */
        ADDRESS("network.peer.address"),
        /** Port of the peer's control connection. */
        PORT("network.peer.port");

        private final String key;

        PeerKey(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }

        @Override
        public boolean isRequired() {
            return false;
        }
    }
}
