package io.rdmarpc.service.codec;

import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import io.rdmarpc.service.contract.ServiceDescription;
import java.util.List;

/**
 * A format for arguments and results. Kryo is the default, JSON comes along; a bean of this type is used instead of both.
 *
 * <p>Everything that can be known before the first call is settled in {@link #forService}: which classes may travel, how
 * each is written, and the description that both processes compare when they connect.
 */
public interface RdmaSerializer {

    /**
     * Prepares for one service. Called once, at start-up.
     *
     * @param service the interface and its methods
     * @param shapes the values of every message of the service, numbered from 0
     * @return the format of its messages
     * @throws RdmaInvalidServiceException when a type of its methods cannot travel
     */
    ServiceSerializer forService(ServiceDescription service, List<MessageShape> shapes);
}
