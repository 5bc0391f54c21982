package io.rdmarpc.service.codec;

import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import io.rdmarpc.service.contract.ServiceDescription;
import java.util.List;

/**
 * A format of arguments and results. Kryo is the default and JSON the built-in alternative. A bean of this type
 * replaces both.
 *
 * <p>{@link #forService} prepares everything that is known before the first call: the permitted classes, their
 * encoding, and the description that both processes compare at connect.
 */
public interface RdmaSerializer {

    /**
     * Prepares the format of one service. Called once, at start-up.
     *
     * @param service the interface and its methods
     * @param shapes the messages of the service, numbered from 0
     * @return the format of the messages
     * @throws RdmaInvalidServiceException if a type of its methods is not serializable
     */
    ServiceSerializer forService(ServiceDescription service, List<MessageShape> shapes);
}
