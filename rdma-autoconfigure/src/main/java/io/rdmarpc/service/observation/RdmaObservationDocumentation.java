package io.rdmarpc.service.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** The observations there are, with the tags of their default conventions. */
public enum RdmaObservationDocumentation implements ObservationDocumentation {
    /** A call this process makes. */
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
    /** A call this process answers. */
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

    /** Tags of both sides, for timers and spans. */
    public enum CallKey implements KeyName {
        /** Always {@code rdma}. */
        SYSTEM("rpc.system"),
        /** The service's name. */
        SERVICE("rpc.service"),
        /** The method's name. */
        METHOD("rpc.method"),
        /** How it ended, coarsely; {@code UNKNOWN} before. */
        OUTCOME("outcome"),
        /** The status it ended with; {@code UNKNOWN} before. */
        STATUS("rdma.status"),
        /** Simple class name of the failure, {@code none} without one. */
        EXCEPTION("exception");

        private final String key;

        CallKey(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }

    /** Tags of the calling side, for timers and spans. */
    public enum ClientKey implements KeyName {
        /** The target's name in the configuration. */
        TARGET("rdma.target");

        private final String key;

        ClientKey(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }

    /** Tags of both sides, for spans only. */
    public enum PeerKey implements KeyName {
        /** The other side's address and, by TLS, its name. */
        PEER("rdma.peer");

        private final String key;

        PeerKey(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }
}
