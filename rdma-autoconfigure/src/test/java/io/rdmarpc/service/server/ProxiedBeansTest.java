package io.rdmarpc.service.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.service.LoopbackPair;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.support.RootBeanDefinition;

@DisplayName("Beans with Spring's proxies")
class ProxiedBeansTest {

    @RdmaService
    interface Account {

        int deposit(int amount);

        String thread();
    }

    static class AccountBean implements Account {

        @Override
        public int deposit(int amount) {
            return amount;
        }

        @Override
        @RdmaMethod(execution = RdmaMethod.Execution.VIRTUAL)
        public String thread() {
            return String.valueOf(Thread.currentThread().isVirtual());
        }
    }

    private final LoopbackPair pair = new LoopbackPair();
    private final AtomicInteger transactions = new AtomicInteger();

    /** Creates an advisor whose auto-proxy creator wraps the bean, as for transactions. */
    private Account advised(boolean cglib) {
        NameMatchMethodPointcut deposits = new NameMatchMethodPointcut();
        deposits.addMethodName("deposit");
        MethodInterceptor advice = invocation -> {
            transactions.incrementAndGet();
            return invocation.proceed();
        };
        pair.beans.registerSingleton("advisor", new DefaultPointcutAdvisor(deposits, advice));
        DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
        creator.setProxyTargetClass(cglib);
        creator.setBeanFactory(pair.beans);
        pair.beans.addBeanPostProcessor(creator);
        pair.beans.registerBeanDefinition("account", new RootBeanDefinition(AccountBean.class));
        return pair.client(Account.class);
    }

    @ParameterizedTest(name = "CGLIB {0}")
    @ValueSource(booleans = {true, false})
    void whenABeanIsAdvisedThenCallsUseItsProxy(boolean cglib) {
        assertThat(advised(cglib).deposit(5)).isEqualTo(5);
        assertThat(transactions).hasValue(1);
    }

    @ParameterizedTest(name = "CGLIB {0}")
    @ValueSource(booleans = {true, false})
    void whenTheTargetClassSelectsTheThreadThenItIsUsed(boolean cglib) {
        assertThat(advised(cglib).thread()).isEqualTo("true");
    }
}
